import type { Page, View } from '#console/page'
import type { EventRow, FoundEvents } from './event_row.js'

/** The result of a verification, as the interface sends it. */
interface Verdict {
  readonly intact: boolean
  readonly chains: number
  readonly batches: number
  readonly events: number
  readonly removed: number
  readonly found: number
  readonly findings: readonly {
    readonly type: string
    readonly chain: string
    readonly number?: number
    readonly id?: string
  }[]
  readonly unanchored?: readonly string[]
}

const MAX_SHOWN = 50

/** Shows the last verification of the trail, and how to verify it. */
export async function showProof(page: Page): Promise<View> {
  const [intact, faulty] = await Promise.all([
    lastNamed(page, 'trailIntact'),
    lastNamed(page, 'trailChanged'),
  ])
  return proofView(page, { intact, faulty })
}

/** Verifies the trail. The response takes as long as reading all of it. */
export async function verifyTrail(page: Page): Promise<View> {
  const response = await page.hub.open('telemetry', '/events/verify')
  const { data } = (await response.json()) as { data: Verdict }
  return proofView(page, { verdict: shownOf(data) })
}

function proofView(
  page: Page,
  data: { intact?: EventRow | undefined; faulty?: EventRow | undefined; verdict?: Verdict }
): View {
  return page.view('audit/proof', {
    title: page.t('audit.proof.title'),
    crumbs: [{ path: '/audit', text: page.t('audit.title') }],
    intact: undefined,
    faulty: undefined,
    verdict: undefined,
    ...data,
  })
}

const shownOf = (verdict: Verdict): Verdict => ({
  ...verdict,
  findings: verdict.findings.slice(0, MAX_SHOWN),
  unanchored: verdict.unanchored ?? [],
})

/** The newest event about a verification with a result. Anybody may report one, so only the platform's counts. */
async function lastNamed(page: Page, name: string): Promise<EventRow | undefined> {
  const query = { refType: 'event', name, reporter: 'platform', limit: 1 }
  const { data } = await page.hub.read<FoundEvents>('telemetry', '/events/search', query)
  return data[0]
}
