import { shortId } from '#console/formats'
import type { Page } from '#console/page'
import {
  readInstallation,
  type CredentialFinding,
  type Installation,
  type StuckAnalysis,
} from '#console/system/installation'

/** Something about the installation that a person should know. */
export interface Finding {
  readonly text: string
  readonly details: readonly string[]
  readonly tone: 'warn' | 'bad'
  readonly path: string | undefined
  readonly since: string | null
}

/** An outbox whose oldest event waits longer than this is behind. */
const LAG_SECONDS = 60

/** The findings for operators; undefined for everybody else. */
export async function findInstallationFindings(page: Page): Promise<Finding[] | undefined> {
  const status = await page.hub.optional(readInstallation(page))
  if (!status) {
    return undefined
  }
  const { surfaces, queues, outbox, stuck, credentials } = status
  return [
    ...surfaces.filter(({ reasons }) => reasons.length > 0).map((one) => surfaceFinding(page, one)),
    ...queues.filter(({ dead }) => (dead ?? 0) > 0).map((one) => queueFinding(page, one)),
    ...outbox
      .filter(({ lagSeconds }) => lagSeconds > LAG_SECONDS)
      .map((one) => outboxFinding(page, one)),
    ...stuck.map((one) => stuckFinding(page, one)),
    ...credentials.filter(({ isRenewed }) => !isRenewed).map((one) => secretFinding(page, one)),
  ]
}

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

function stuckFinding(
  page: Page,
  { analysisId, name, process, status, since, problem }: StuckAnalysis
): Finding {
  const key = status === 'failed' ? 'needs.findings.processFailed' : 'needs.findings.silent'
  return {
    text: page.t(key, { name, process }),
    details: problem === null ? [] : [problem],
    tone: 'bad',
    path: `/analyses/${analysisId}`,
    since,
  }
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
