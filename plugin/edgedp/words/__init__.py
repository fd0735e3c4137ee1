"""The words of all rooms: vocabulary, errors, refusals, amounts. It knows no graph and draws nothing."""
