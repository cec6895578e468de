/** Browsers also carry the tokens of those they descend from, so the most specific comes first. */
const BROWSERS: readonly (readonly [token: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [token: RegExp, name: string])[] = [
  [/\biPhone|\biPad/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const LONGEST_PRODUCT = 40

/** What a user recognises a browser or program by, from its User-Agent header: "Firefox on Linux", "python-httpx/0.27". */
export function browserName(userAgent: string): string {
  const browser = nameIn(BROWSERS, userAgent)
  const system = nameIn(SYSTEMS, userAgent)
  if (!browser) {
    return userAgent.split(' ')[0]!.slice(0, LONGEST_PRODUCT)
  }
  return system ? `${browser} on ${system}` : browser
}

const nameIn = (names: typeof BROWSERS, userAgent: string): string | undefined =>
  names.find(([token]) => token.test(userAgent))?.[1]
