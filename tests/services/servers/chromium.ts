import { ensurePackages, PACKAGES } from './packages.js'

/**
 * Without these it looks for its maker's hosts at every start; as root it does not start inside its own sandbox; and where
 * the machine is busy, it takes its drawing process for hung and ends.
 */
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-gpu-watchdog',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * What Playwright's `chromium.launch` takes. Started by hand, it also needs an empty `--user-data-dir` of its own.
 */
export async function locateChromium(): Promise<{ executablePath: string; args: string[] }> {
  await ensurePackages(PACKAGES.chromium)
  return { executablePath: '/usr/bin/chromium', args: [...ARGUMENTS] }
}
