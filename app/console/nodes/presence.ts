import type { Page } from '#console/page'
import { presenceLine, type PresenceSpan } from '#console/svg/presence_line'
import { clock } from '#kernel/clock'

const HOURS = 24
const HOUR_MS = 3_600_000

/** Version, clock, limits and secret are null for readers of other realms. */
export interface Presence {
  readonly online: boolean
  readonly since: string | null
  readonly seenAt: string | null
  readonly version: string | null
  readonly startedAt: string | null
  readonly clockDifferenceMs: number | null
  readonly unbounded: readonly string[] | null
  readonly secretSince: string | null
  readonly spans: readonly PresenceSpan[]
}

/** The presence of a node during the last day. */
export async function readPresence(page: Page, nodeId: string): Promise<Presence | undefined> {
  const reading = page.hub.read<{ data: Presence }>('core', `/nodes/${nodeId}/presence`, {
    hours: HOURS,
  })
  const presence = await page.hub.optional(reading)
  return presence?.data
}

/** Draws the presence of a node during the last day. */
export function drawPresence(page: Page, { spans }: Presence, width: number): string {
  const now = clock.now()
  const share = Math.round(onlineShare(spans, now) * 100)
  const label = page.t('nodes.presence.label', { share, hours: HOURS })
  return presenceLine({ spans, now, hours: HOURS, width, label })
}

/** The share of the last day in which a node was online. */
function onlineShare(spans: readonly PresenceSpan[], now: number): number {
  const start = now - HOURS * HOUR_MS
  const online = spans.reduce((sum, { from, until }) => {
    const end = until === null ? now : Date.parse(until)
    return sum + Math.max(0, end - Math.max(start, Date.parse(from)))
  }, 0)
  return Math.min(1, online / (now - start))
}
