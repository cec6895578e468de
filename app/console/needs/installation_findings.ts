import { shortId } from '#console/formats'
import type { Page } from '#console/page'
import { OPERATOR_ACCESS } from '#auth/operator_access'
import { permits } from '#kernel/access'
import { clock } from '#kernel/clock'
import { readExamination, type DoctorFinding } from '#console/system/examination'
import {
  readInstallation,
  type CredentialFinding,
  type Installation,
} from '#console/system/installation'

/** A finding about the installation. */
interface Finding {
  readonly text: string
  readonly details: readonly string[]
  /** How to fix it. */
  readonly remedy?: string
  readonly tone: 'warn' | 'bad'
  readonly path: string | undefined
  readonly since: string | null
}

/** The state of the installation for operators. */
export interface InstallationState {
  readonly findings: readonly Finding[]
  /** The end of the last backup; null if no backup is known. */
  readonly backedUpAt: string | null
}

/** The maximum age of the oldest event in an outbox. */
const LAG_SECONDS = 60
/** The maximum age of a daily backup. */
const BACKUP_MAX_AGE_MS = 2 * 86_400_000
/** Findings of the doctor that the state of the installation shows with more details. */
const STATED_IN_DETAIL = new Set(['ANALYSES_STUCK', 'DEAD_LETTERS', 'OUTBOX_WAITS'])

/** The state for operators; undefined for all others, for whom it is not requested. */
export async function findInstallationState(page: Page): Promise<InstallationState | undefined> {
  if (!permits(OPERATOR_ACCESS, page.actor)) {
    return undefined
  }
  const [status, examination] = await Promise.all([
    page.hub.optional(readInstallation(page)),
    page.hub.optional(readExamination(page)),
  ])
  if (!status) {
    return undefined
  }
  const found = examination?.findings.filter(({ code }) => !STATED_IN_DETAIL.has(code)) ?? []
  const backedUpAt = status.backups[0]?.endedAt ?? null
  return {
    findings: [
      ...statedFindings(page, status),
      ...backupFindings(page, backedUpAt),
      ...found.map(doctorFinding),
    ],
    backedUpAt,
  }
}

function statedFindings(
  page: Page,
  { surfaces, queues, outbox, credentials }: Installation
): Finding[] {
  return [
    ...surfaces.filter(({ reasons }) => reasons.length > 0).map((one) => surfaceFinding(page, one)),
    ...queues.filter(({ dead }) => (dead ?? 0) > 0).map((one) => queueFinding(page, one)),
    ...outbox
      .filter(({ lagSeconds }) => lagSeconds > LAG_SECONDS)
      .map((one) => outboxFinding(page, one)),
    ...credentials.filter(({ isRenewed }) => !isRenewed).map((one) => secretFinding(page, one)),
  ]
}

function backupFindings(page: Page, backedUpAt: string | null): Finding[] {
  const isRecent = backedUpAt !== null && clock.now() - Date.parse(backedUpAt) < BACKUP_MAX_AGE_MS
  if (isRecent) {
    return []
  }
  const key = backedUpAt === null ? 'needs.findings.noBackup' : 'needs.findings.oldBackup'
  const remedy = page.t('needs.findings.takeBackup')
  return [
    {
      text: page.t(key),
      details: [],
      remedy,
      tone: 'warn',
      path: '/system#backups',
      since: backedUpAt,
    },
  ]
}

/** Findings of the doctor have the texts of its command. */
const doctorFinding = ({ message, remedy, severity }: DoctorFinding): Finding => ({
  text: message,
  details: [],
  remedy,
  tone: severity === 'error' ? 'bad' : 'warn',
  path: '/system#doctor',
  since: null,
})

function surfaceFinding(
  page: Page,
  { name, isReady, reasons }: Installation['surfaces'][number]
): Finding {
  return {
    text: page.t(isReady ? 'needs.findings.degraded' : 'needs.findings.notReady', { name }),
    details: reasons,
    tone: isReady ? 'warn' : 'bad',
    path: '/system',
    since: null,
  }
}

function queueFinding(page: Page, { name, dead }: Installation['queues'][number]): Finding {
  const text = page.t('needs.findings.dead', { name, count: dead ?? 0 })
  return { text, details: [], tone: 'bad', path: '/system', since: null }
}

function outboxFinding(
  page: Page,
  { database, lagSeconds }: Installation['outbox'][number]
): Finding {
  const text = page.t('needs.findings.outbox', { database, seconds: Math.round(lagSeconds) })
  return { text, details: [], tone: 'warn', path: '/system', since: null }
}

function secretFinding(page: Page, { type, id, name, since }: CredentialFinding): Finding {
  const isOfNode = type === 'nodeSecret'
  return {
    text: page.t(isOfNode ? 'needs.findings.nodeSecret' : 'needs.findings.key', {
      name: name ?? shortId(id),
    }),
    details: [],
    tone: 'warn',
    path: isOfNode ? `/nodes/${id}` : undefined,
    since,
  }
}
