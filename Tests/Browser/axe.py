"""What finds mistakes in the accessibility of a page, in any browser."""

import json
import pathlib

import axe_playwright_python

LIBRARY = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# The rules that depend on the colours of a page.
COLORS = ["color-contrast", "link-in-text-block"]

# Has everything that glides arrive: until then it has colours of what was there before. Texts in what has arrived may begin to glide by that.
# A tree node that is marked as changed keeps its mark.
SETTLE = """
  const glides = (it) => it.playState !== "finished" && it.effect.getComputedTiming().endTime < Infinity && it.animationName !== "changed";
  for (let all = [null]; all.length; all.forEach((it) => it.finish())) {
    // What has just been shown begins to glide in the next frame.
    await new Promise((done) => requestAnimationFrame(done));
    all = document.getAnimations().filter(glides);
  }
"""


def violations(run, rules=None):
    """
    A line for each mistake that axe finds in a page, by all rules or by these.

    `run` evaluates an expression in the page by the browser's protocol: the page's policy lets no foreign script in.
    """
    if not run("'axe' in window"):
        run(f"(() => {{ {LIBRARY} }})()")
    # Of the styles only a rule that is off needs a copy. Most of a full result would be what is in order: the page keeps that.
    options = {"resultTypes": ["violations"], "preload": {"assets": ["media"]}} | ({"runOnly": rules} if rules else {})
    return run(f"""(async () => {{
      {SETTLE}
      const {{ violations }} = await axe.run(document, {json.dumps(options)});
      return violations.map(({{ id, impact, nodes }}) => `${{id}} (${{impact}}): ${{nodes[0].html.slice(0, 200)}}: ${{nodes[0].failureSummary}}`);
    }})()""")
