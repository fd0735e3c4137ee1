"""A card as an entry of the public registry of deployments of OpenDP.

The fields are those of ``schemas/deployments-schema.yaml`` of github.com/opendp/deployments-registry-data at commit
3e9c812; a test compares an entry with the facts of that schema.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from edgedp.faces.card.making import NOT_STATED
from edgedp.words.shown import amount

__all__ = ["entry_of"]


def entry_of(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of a card: a draft of the third tier, for its curator to complete and submit.

    Examples
    --------
    >>> from edgedp.faces.card.hazards import HAZARDS
    >>> len(HAZARDS)
    23
    """
    stated, account = card["stated"], card["accounts"][0]
    declared = account["declared"]
    zero_concentrated = "rho" in declared
    kinds = sorted({row["kind"] for row in card["releases"]})
    mechanisms = sorted(
        {f"{row['kind']}: {row['mechanism']}" for row in card["releases"] if row["mechanism"]}
    )
    basic = {
        "name": card["graph"],
        "data_curators": [*stated["curators"]] or [NOT_STATED],
        "intended_use": stated["intended_use"],
        "data_product_type": "Interactive API",
        "data_product_region": stated["region"],
        "description": f"Releases of a private graph by edgedp {card['edgedp']}: {', '.join(kinds) or 'none so far'}.",
        "publication_date": card["first_release"] or card["made"][:10],
    }
    if stated["sector"] is not None:
        basic["data_product_sector"] = stated["sector"]
    parameters = {key: declared[key] for key in ("epsilon", "delta", "rho") if declared.get(key) is not None}
    return {
        "url_slug": re.sub(r"[^a-z0-9]+", "_", card["graph"].lower()).strip("_") or "graph",
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "basic": basic,
            "dp_variant": {
                "variant_name": "Zero-concentrated DP" if zero_concentrated else "Pure DP",
                "data_domain": "Graphs over one public set of nodes.",
                "unprotected_quantities": "; ".join(card["exact"]["public"]),
            },
            "privacy_loss": {
                "privacy_unit": card["promise"]["unit"],
                "privacy_unit_details": f"Neighbours are graphs over the same nodes that differ in "
                f"{card['promise']['unit']}. {card['promise']['sentence']}",
                "privacy_parameters": parameters,
                "privacy_parameters_details": "Budget as declared; spent: epsilon "
                f"{amount(account['spent']['epsilon'])} in {account['releases']} releases."
                + ("" if len(card["accounts"]) == 1 else " Properties of the nodes have an account of their own."),
            },
            "deployment_model": {
                "model_name": "Central",
                "actors": "The curator holds the graph; analysts ask through a gateway, each out of a share of the "
                "budget, and are assumed to put their answers together.",
                "release_type": "Many releases",
                "release_type_details": (
                    "The budget bounds what is lost of the windows that the unit names; other windows have it, too."
                    if ", dated within" in card["promise"]["unit"]
                    else "The budget never resets by itself; a larger one stands in the ledger."
                ),
                "data_source_type": "Static",
                "access_type": "Interactive",
                "access_type_details": "One account for all analysts together protects the edges; shares divide it.",
            },
            "accounting": {
                "post_processing": "Order of a list, clamping of numbers to public ranges, intervals, sure lists.",
                "composition": "Sum of rho, converted at the declared delta."
                if zero_concentrated
                else "Sum of epsilon.",
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": f"{card['exact']['exact_reads']} exact reads by the curator "
                "stand in the ledger; they are not accounted for.",
                "mechanisms": f"{'; '.join(mechanisms) or 'none so far'}. edgedp {card['edgedp']}, exact sampling in "
                "integers from the operating system's randomness; answers at steps of time.",
                "justification": "Proofs in docs/privacy.md, evidence by edgedp audit.",
            },
            "administrative": {
                "sources": "Ledger heads: " + ", ".join(f"{key} {value}" for key, value in card["ledger"].items()),
                "registry_authors": [*stated["authors"]] or [NOT_STATED],
            },
        },
    }  # fmt: skip
