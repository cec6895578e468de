import type { Page, Redirect } from '#console/page'

/** A sweep runs for at most twenty seconds per request. */
const SWEEP_TIMEOUT_MS = 30_000

/** Starts an examination by the doctor. The report takes some seconds. */
export async function examine(page: Page): Promise<Redirect> {
  await page.hub.post('core', '/admin/examination')
  return page.redirect('/system#doctor', 'system.doctor.started')
}

/** Runs a sweep now, for at most twenty seconds. */
export async function runSweep(page: Page): Promise<Redirect> {
  const path = `/admin/sweeps/${encodeURIComponent(page.params.name ?? '')}`
  await page.hub.post('core', path, {}, SWEEP_TIMEOUT_MS)
  return page.redirect('/system#sweeps', 'system.sweeps.done')
}
