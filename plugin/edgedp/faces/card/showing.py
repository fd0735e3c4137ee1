"""A card for people: sections of sentences and tables, as Markdown and HTML; and as JSON with its registry's entry."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edgedp.faces.card.making import NOT_STATED
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.shown import amount, number

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#1a1a1a;background:#fff}"
    "table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid #bbb;padding:.3rem .6rem;"
    "text-align:left;vertical-align:top}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}td,th{border-color:#555}}"
)

_OF_A_PERSON = (
    "For all edges of a person together: their number times epsilon, and the factor that it allows; an empty cell "
    "promises nothing."
)
_OF_A_PERSON_BY_RHO = (
    "For all edges of a person together: the square of their number times rho, as an epsilon at the declared delta, "
    "and the factor that it allows; an empty cell promises nothing."
)


@dataclass(frozen=True)
class Section:
    """A part of a card: a heading, sentences, and at most one table."""

    title: str
    sentences: Sequence[str] = ()
    rows: Sequence[Mapping[str, Any]] = ()

    @property
    def columns(self) -> list[str]:
        """The names of the table's columns."""
        return [*dict.fromkeys(key for row in self.rows for key in row)]


def sections(card: Mapping[str, Any]) -> list[Section]:
    """Return what a card says, part by part."""
    stated, promise = card["stated"], card["promise"]
    of_a_person = _OF_A_PERSON_BY_RHO if "delta" in card["accounts"][0]["declared"] else _OF_A_PERSON
    accounts = [
        {
            "account": row["account"],
            "declared": _amounts(row["declared"]),
            "spent": _amounts(row["spent"]),
            "releases": row["releases"],
            "protects": row["protects"],
        }
        for row in card["accounts"]
    ]
    hazards = [
        {
            "part": row["part"],
            "hazard": row["topic"],
            "who": "handled" if row["handled"] else "yours to handle",
            "how": row["how"],
        }
        for row in card["hazards"]["hazards"]
    ]
    recall = [
        {"release": f"{row['kind']} {row['of']}", "told": row["told"], "on": each["graph"], "k": each["k"],
         "epsilon": each["epsilon"], "recall": each["recall"]}
        for row in card["expected"]
        for each in row["recall"] or [{"graph": "", "k": "", "epsilon": "", "recall": ""}]
    ]  # fmt: skip
    return [
        Section(
            "Deployment",
            [
                f"Curators: {', '.join(stated['curators']) or 'not stated'}. Intended use: {stated['intended_use']}. "
                f"Region: {stated['region']}.",
                f"Made {card['made']} by edgedp {card['edgedp']}, from the ledger and public facts alone.",
            ],
        ),
        Section(
            "What is promised",
            [
                f"Unit of protection: {promise['unit']}.",
                promise["sentence"],
                "Outside this promise: that a declared bound is broken, and durations for those who open the store.",
                *([of_a_person] if promise["persons"] else []),
            ],
            promise["persons"],
        ),
        Section("Budget", ["Accounts are of different units and are never added."], accounts),
        Section("Public facts, and who declared them", (), card["public"]),
        Section(
            "What is exact, and so not protected",
            [
                f"Public as they are: {'; '.join(card['exact']['public'])}.",
                f"Exact reads by the curator that stand in the ledger: {card['exact']['exact_reads']}.",
            ],
        ),
        Section("Releases", () if card["releases"] else ["There is none so far."],
                card["releases"]),
        Section("What to expect", ["Figures are of graphs that could be looked at, never of this one."], recall),
        Section("Evidence", ["How many ways of asking each kind has judged (edgedp audit)."], card["evidence"]),
        Section("Ledger", [f"Head of the account of the {key}: {value}." for key, value in card["ledger"].items()]),
        Section("Retention", [f"{key}: {value}." for key, value in card["retention"].items()]),
        Section("Hazards", [f"After the {card['hazards']['source']}."], hazards),
    ]  # fmt: skip


def to_json(card: Mapping[str, Any]) -> str:
    """Return the card as JSON; ``registry`` holds its entry."""
    return json.dumps({**card, "registry": entry_of(card)}, indent=2) + "\n"


def to_markdown(card: Mapping[str, Any]) -> str:
    """Return the card as Markdown; text of names is escaped."""
    parts = [f"# {_marked(card['graph'])}: what was promised and spent"]
    for section in sections(card):
        parts += [f"## {section.title}", *(_marked(each) for each in section.sentences)]
        if section.rows:
            head = [f"| {' | '.join(map(_marked, section.columns))} |", "|---" * len(section.columns) + "|"]
            body = [
                f"| {' | '.join(_marked(_text(row.get(key))) for key in section.columns)} |"
                for row in section.rows
            ]
            parts.append("\n".join([*head, *body]))
    return "\n\n".join(parts) + "\n"


def to_html(card: Mapping[str, Any]) -> str:
    """Return the card as one page without scripts, which asks no other address for anything."""
    title = f"{html.escape(_seen(card['graph']))}: what was promised and spent"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body><main><h1>{title}</h1>",
    ]
    for section in sections(card):
        parts.append(f"<section><h2>{section.title}</h2>")
        parts += [f"<p>{html.escape(_seen(each))}</p>" for each in section.sentences]
        if section.rows:
            head = "".join(f'<th scope="col">{html.escape(_seen(key))}</th>' for key in section.columns)
            body = "".join(
                "<tr>"
                + "".join(f"<td>{html.escape(_seen(_text(row.get(key))))}</td>" for key in section.columns)
                + "</tr>"
                for row in section.rows
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        parts.append("</section>")
    return "\n".join([*parts, "</main></body></html>"]) + "\n"


def _amounts(row: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key.replace('_', ' ')} {'none' if value is None else _figure(value)}" for key, value in row.items()
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return _figure(value)
    return value if isinstance(value, str) else json.dumps(value)


def _figure(value: float) -> str:
    """Return a number with every place that the ledger counts; a delta below a nano as it is written."""
    return number(value) if value == 0 or abs(value) >= 1 / NANO else format(value, ".12g")


def _seen(text: str) -> str:
    """Return a text in which what nobody sees, and what changes the direction of writing, is an escape."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def _marked(text: str) -> str:
    """Return a text that Markdown takes for nothing else."""
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>|#&" else each for each in _seen(text))


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
