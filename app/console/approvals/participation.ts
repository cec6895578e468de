import { isMasterMember } from '#kernel/realm'
import type { Page } from '#console/page'
import { shellWord } from '#console/shell_word'

/** The kinds of records that a node takes part in. */
export type Subject = 'project' | 'analysis'

export type Verdict = 'approved' | 'rejected'

export interface SubjectRow {
  readonly id: string
  readonly name: string
  readonly displayName: string | null
  readonly description: string | null
  readonly userId: string | null
  readonly realmId: string
}

/** A node of a project or an analysis, about which the realm of the node decides. */
export interface Participation {
  readonly id: string
  readonly approvalStatus: Verdict | null
  readonly comment: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly nodeId: string
  readonly nodeRealmId: string
  readonly node: { readonly id: string; readonly name: string }
  readonly project?: SubjectRow
  readonly analysis?: SubjectRow & { readonly projectId: string }
}

export const COLLECTIONS = {
  project: '/project-nodes',
  analysis: '/analysis-nodes',
} as const satisfies Record<Subject, string>

const PERMISSIONS = { project: 'project_approve', analysis: 'analysis_approve' } as const

export const SUBJECTS = Object.keys(COLLECTIONS) as readonly Subject[]

/** The project or analysis of a participation. */
export const subjectOf = (subject: Subject, part: Participation): SubjectRow => part[subject]!

export const nameOfSubject = ({ displayName, name }: SubjectRow): string => displayName || name

/** Whether the user may decide. Members of the master realm may decide for other realms, which is recorded. */
export const mayDecide = (page: Page, subject: Subject, { nodeRealmId }: Participation): boolean =>
  page.may(PERMISSIONS[subject]) &&
  (page.actor.realmId === nodeRealmId || isMasterMember(page.actor))

/** The equivalent command of hubctl. */
export function commandFor(subject: Subject, part: Participation, verdict: Verdict): string {
  const verb = verdict === 'approved' ? 'approve' : 'reject'
  const named = shellWord(subjectOf(subject, part).name)
  return `hubctl ${subject} ${verb} ${named} --node ${shellWord(part.node.name)}`
}
