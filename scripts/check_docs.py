#!/usr/bin/env python3
"""Check the documentation: every relative link and anchor leads somewhere, every WaveDrom diagram and
every JSON example parses.

usage: scripts/check_docs.py
"""
import json
import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent


def pages():
    found = [p for p in ROOT.glob("*.md")]
    for top in ("docs", "tb", "rtl", "sim", "sw", "fpga", "tests", "models", "scripts"):
        found += sorted((ROOT / top).rglob("*.md"))
    return found


def anchors(text):
    """Anchors as GitHub makes them from the headings."""
    names, seen = set(), {}
    for heading in re.findall(r"^#+\s+(.*?)\s*$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        n = seen.get(name, 0)
        seen[name] = n + 1
        names.add(f"{name}-{n}" if n else name)
    return names


def relaxed_json(text):
    """WaveDrom takes JSON5: bare keys, single quotes, trailing commas."""
    text = re.sub(r"'((?:[^'\\]|\\.)*)'", lambda m: json.dumps(m.group(1)), text)
    text = re.sub(r'([{,]\s*)([A-Za-z_]\w*)\s*:', r'\1"\2":', text)
    return json.loads(re.sub(r",(\s*[}\]])", r"\1", text))


def lanes(signal):
    for item in signal:
        if isinstance(item, list):
            yield from lanes(item[1:] if item and isinstance(item[0], str) else item)
        elif item:
            yield item


def check_page(path):
    text = path.read_text(encoding="utf-8")
    where = path.relative_to(ROOT)
    errors = []
    for kind, body in re.findall(r"^```(wavedrom|json)\n(.*?)^```", text, re.M | re.S):
        try:
            drawn = relaxed_json(body) if kind == "wavedrom" else json.loads(body)
        except ValueError as e:
            errors.append(f"{where}: a {kind} block does not parse: {e}")
            continue
        if kind == "wavedrom" and "signal" in drawn:
            for lane in lanes(drawn["signal"]):
                boxes = len(re.findall(r"[2-9=]", lane.get("wave", "")))
                data = lane.get("data", [])
                data = data.split() if isinstance(data, str) else data
                if len(data) > boxes:
                    errors.append(f"{where}: diagram lane {lane.get('name')}: {len(data)} labels for "
                                  f"{boxes} boxes")
    plain = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    plain = re.sub(r"`[^`\n]*`", "", plain)
    for link in re.findall(r"\]\(([^)\s]+)\)", plain):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = urllib.parse.unquote(link).partition("#")
        file = (path.parent / target).resolve() if target else path
        if not file.exists():
            errors.append(f"{where}: broken link {link}")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            errors.append(f"{where}: no heading for {link}")
    return errors


def main():
    if len(sys.argv) > 1:
        print(__doc__)
        return 0 if sys.argv[1] in ("-h", "--help") else 2
    errors = [e for p in pages() for e in check_page(p)]
    for e in errors:
        print(e)
    print(f"docs: {len(errors)} faults in {len(pages())} pages")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
