"""The refused patches of an HTML report by the code of their first error, and a search for reports of many patches.

Takes checked patches; gives the groups, the list that leads to them, and the script of the search. The script is the
only one of the page: it reads what is there and hides what does not match. The policy of the page names it by its
hash, so no other script can run, whatever a patch holds. Without it everything is shown.
"""

from __future__ import annotations

import base64
from hashlib import sha256

from patchkit.catalogue.names import name_of
from patchkit.report.checked import CheckedPatch
from patchkit.report.html_text import escaped, shown

MANY = 20  # patches from which on a report has a search

_SCRIPT = """
(() => {
  const main = document.getElementById("patches");
  const patches = [...main.querySelectorAll(".patch")];
  const texts = patches.map((patch) => patch.dataset.words.toLowerCase());
  const label = document.createElement("label"), field = document.createElement("input");
  const count = document.createElement("span");
  label.className = "find";
  field.type = "search";
  field.placeholder = "a name, a path or a code";
  count.setAttribute("role", "status");
  label.append("Search ", field, " ", count);
  main.prepend(label);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let found = 0;
    patches.forEach((patch, place) => {
      patch.hidden = !words.every((word) => texts[place].includes(word));
      found += !patch.hidden;
    });
    count.textContent = words.length ? `${found} of ${patches.length}` : "";
  });
})();
"""
GROUP_STYLE = """\
.find { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-bottom: .75rem; color: var(--soft);
  font-size: .875rem; }
.find input { font: inherit; flex: 1 1 12rem; min-width: 0; max-width: 30rem; padding: .4rem .8rem; color: var(--ink);
  background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.codes { display: flex; flex-wrap: wrap; gap: .35rem; list-style: none; padding: 0; margin: 0 0 1rem;
  font-size: .875rem; }
.codes a { display: block; border: 1px solid var(--line); border-radius: 99px; padding: .1rem .7rem; color: var(--ink);
  background: var(--card); text-decoration: none; }
.codes a:hover { border-color: var(--soft); }
.group > h2 { margin: 1.25rem 0 .5rem; }
.group > h2 span { color: var(--soft); font-weight: 400; }
.patch[hidden], .group:not(:has(.patch:not([hidden]))) { display: none; }
body:has(#show-good:checked) .group, body:has(#show-good:checked) .codes { display: none; }
"""


def first_code(patch: CheckedPatch) -> str:
    return codes_of(patch)[0] if codes_of(patch) else ""


def codes_of(patch: CheckedPatch) -> list[str]:
    """The codes of a patch's errors, each once, in their order."""
    errors = [*patch.errors, *(error for file in patch.files for error in file.errors)]
    return list(dict.fromkeys(error.code for error in errors))


def grouped(refused: list[CheckedPatch]) -> list[tuple[str, list[CheckedPatch]]]:
    """The refused patches by the code of their first error, the most frequent code first."""
    found: dict[str, list[CheckedPatch]] = {}
    for patch in refused:
        found.setdefault(first_code(patch), []).append(patch)
    return sorted(found.items(), key=lambda group: (-len(group[1]), group[0]))


def list_of_groups(groups: list[tuple[str, list[CheckedPatch]]]) -> str:
    """Links to the groups, where there is more than one."""
    if len(groups) < 2:
        return ""
    rows = [
        f'<li><a href="#code-{escaped(code)}"><b>{escaped(code)}</b> {escaped(_name(code))} · {len(patches):,}</a></li>'
        for code, patches in groups
    ]
    return f'<ul class="codes" aria-label="Causes">{"".join(rows)}</ul>\n'


def group(code: str, count: int, patches: str) -> str:
    head = f"<h2>{escaped(code)} {escaped(_name(code))} <span>{count:,}</span></h2>\n"
    return f'<section class="group" id="code-{escaped(code)}">{head}{patches}</section>\n'


def words_of(patch: CheckedPatch) -> str:
    """What a search looks at, as an attribute."""
    words = [patch.source, *codes_of(patch), *map(_name, codes_of(patch)), *(file.path for file in patch.files)]
    return f' data-words="{shown(" ".join(words))}"'


def _name(code: str) -> str:
    return name_of(code) if code else ""


def search_script(count: int) -> str:
    """The script of the search, for a report of so many patches; '' where there are few."""
    return f"<script>{_SCRIPT}</script>\n" if count > MANY else ""


def script_policy(count: int) -> str:
    """What the policy of the page allows: this script, where the page has it."""
    if count <= MANY:
        return ""
    return f"; script-src 'sha256-{base64.b64encode(sha256(_SCRIPT.encode()).digest()).decode()}'"
