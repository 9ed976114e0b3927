"""The showcase in Firefox."""

import unittest

from engine_cases import IS_REQUIRED, EngineCases
from firefox import Firefox, firefox_path


@unittest.skipUnless(firefox_path() or IS_REQUIRED, "there is no Firefox")
class FirefoxTest(EngineCases, unittest.TestCase):
    engine = Firefox


if __name__ == "__main__":
    unittest.main()
