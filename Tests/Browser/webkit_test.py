"""The showcase in WebKit."""

import unittest

from engine_cases import IS_REQUIRED, EngineCases
from webkit import WebKit, webkit_path


@unittest.skipUnless(webkit_path() or IS_REQUIRED, "there is no WebKit")
class WebKitTest(EngineCases, unittest.TestCase):
    engine = WebKit


if __name__ == "__main__":
    unittest.main()
