import type { Page } from '#console/page'
import {
  COLLECTIONS,
  mayDecide,
  nameOfSubject,
  subjectOf,
  type Participation,
  type Subject,
} from '#console/approvals/participation'
import { isMasterMember } from '#kernel/realm'

const LIMIT = 20

/** Open decisions, the oldest first. */
export interface Waiting {
  readonly subject: Subject
  readonly total: number
  readonly rows: readonly WaitingRow[]
}

interface WaitingRow {
  readonly path: string
  readonly name: string
  readonly node: string
  readonly realmId: string
  readonly userId: string | null
  readonly since: string
}

/** The decisions that the user can make; those of the own realm only, unless `ofOthers`. */
export async function findWaiting(
  page: Page,
  subject: Subject,
  { ofOthers }: { ofOthers: boolean }
): Promise<Waiting> {
  const { actor, hub } = page
  const own = `eq(nodeRealmId,'${actor.realmId}')`
  const realm = ofOthers ? `not(${own})` : own
  const query = {
    'filter': `and(eq(approvalStatus,null),${realm})`,
    'include': `node,${subject}`,
    'sort': 'createdAt',
    'page[limit]': LIMIT,
  }
  const path = COLLECTIONS[subject]
  const listing = await hub.optional(hub.list<Participation>('core', path, query))
  const parts = listing?.data.filter((part) => mayDecide(page, subject, part)) ?? []
  const total = parts.length === 0 ? 0 : (listing?.meta.total ?? 0)
  return { subject, total, rows: parts.map((part) => rowOf(subject, part)) }
}

/** Whether the user also decides for other realms. */
export const decidesForOthers = ({ actor }: Page): boolean => isMasterMember(actor)

function rowOf(subject: Subject, part: Participation): WaitingRow {
  const about = subjectOf(subject, part)
  return {
    path: `/approvals/${subject}/${part.id}`,
    name: nameOfSubject(about),
    node: part.node.name,
    realmId: about.realmId,
    userId: about.userId,
    since: part.createdAt,
  }
}
