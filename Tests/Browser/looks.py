"""How pages look on other machines: which fonts they find there, and how many pixels of the screen one of theirs is."""

import atexit
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import zlib

# The families for a text without serifs, for one with them, and for code.
FONTS = {
    "dejavu": ("DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono"),
    "liberation": ("Liberation Sans", "Liberation Serif", "Liberation Mono"),
    "noto": ("Noto Sans", "Noto Serif", "Noto Sans Mono"),
}
SCALES = (1, 1.5)
# The font of pictures in the documents.
PICTURES = "dejavu"

# A machine with one kind of font, which a browser takes for each name that it looks for. Hinted slightly, as Debian's are, letters are as wide as
# they were drawn: a text may need a line more than with full hinting.
CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <cachedir>{cache}</cachedir>
  <selectfont>
    <rejectfont><pattern><patelt name="outline"><bool>true</bool></patelt></pattern></rejectfont>
    <acceptfont>{accepted}</acceptfont>
  </selectfont>
  <alias binding="same"><family>serif</family><prefer><family>{serif}</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>{mono}</family></prefer></alias>
  <match target="pattern">
    <edit name="family" mode="append" binding="same"><string>{sans}</string></edit>
    <edit name="hintstyle" mode="append"><const>hintslight</const></edit>
  </match>
</fontconfig>
"""

folder = None


def seed_of_the_day():
    """What random tests draw from: the number of the day since 1970, in UTC, or what RIB_SEED says."""
    return int(os.environ.get("RIB_SEED", time.time() // 86_400))


def look_of(name):
    """The font and the scale for a file of tests: each file has another one, and another one each day. RIB_LOOK=noto,1.5 chooses for all."""
    if chosen := os.environ.get("RIB_LOOK"):
        font, scale = chosen.split(",")
        return font, float(scale)
    looks = [(font, scale) for font in FONTS for scale in SCALES]
    return looks[(zlib.crc32(name.encode()) + seed_of_the_day()) % len(looks)]


def environment_with(font):
    """The environment of a browser that finds one kind of font alone."""
    global folder
    if folder is None:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="rib-fonts-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = folder / f"{font}.conf"
    environment = {**os.environ, "FONTCONFIG_FILE": str(file)}
    if not file.exists():
        sans, serif, mono = FONTS[font]
        accepted = "".join(f'<pattern><patelt name="family"><string>{family}</string></patelt></pattern>' for family in FONTS[font])
        file.write_text(CONFIGURATION.format(cache=folder / "cache", accepted=accepted, sans=sans, serif=serif, mono=mono))
        found = subprocess.run(["fc-list", ":", "family"], env=environment, capture_output=True, text=True, check=True).stdout
        missing = [family for family in FONTS[font] if family not in found]
        assert not missing, f"fonts are missing: {', '.join(missing)}; scripts/setup --tests installs them"
    return environment
