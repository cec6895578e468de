import { texts } from '#http/texts'

/** Browsers also send the tokens of their ancestors, so the most specific one comes first. */
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

const MAX_PRODUCT_LENGTH = 40

/** A display name for a User-Agent header: "Firefox on Linux", "python-httpx/0.27". */
export function browserName(userAgent: string): string {
  const browser = nameIn(BROWSERS, userAgent)
  const system = nameIn(SYSTEMS, userAgent)
  if (!browser) {
    return userAgent.split(' ')[0]!.slice(0, MAX_PRODUCT_LENGTH)
  }
  return system ? texts.get('account.sessions.onSystem', { browser, system }) : browser
}

const nameIn = (names: typeof BROWSERS, userAgent: string): string | undefined =>
  names.find(([token]) => token.test(userAgent))?.[1]
