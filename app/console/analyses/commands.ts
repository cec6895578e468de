import type { Page, Redirect } from '#console/page'
import { PageNotFound } from '#console/page_not_found'
import { addressWith } from '#console/lists'
import type { AnalysisRow } from './records.js'

interface Command {
  /** The name in the URL and in hubctl. */
  readonly name: string
  /** The name in the public interface. */
  readonly command: string
  readonly tone: 'primary' | 'danger' | 'plain'
  /** Whether the command is offered now. Core checks it again, and explains a refusal. */
  readonly isOffered: (analysis: AnalysisRow) => boolean
}

const isStartable = (status: string | null) => status === null || isOneOf(status, ENDED)
const isOneOf = (status: string | null, statuses: readonly string[]) =>
  status !== null && statuses.includes(status)

const ENDED = ['failed', 'stopped']
const isBuilt = ({ buildStatus }: AnalysisRow) => buildStatus === 'executed'

/** The commands of an analysis in the order of its life cycle. */
const COMMANDS: readonly Command[] = [
  {
    name: 'lock',
    command: 'configurationLock',
    tone: 'primary',
    isOffered: ({ configurationLocked }) => !configurationLocked,
  },
  {
    name: 'build',
    command: 'buildStart',
    tone: 'primary',
    isOffered: ({ configurationLocked, buildStatus }) =>
      configurationLocked && isStartable(buildStatus),
  },
  {
    name: 'distribute',
    command: 'distributionStart',
    tone: 'primary',
    isOffered: (analysis) => isBuilt(analysis) && isStartable(analysis.distributionStatus),
  },
  {
    name: 'check-build',
    command: 'buildCheck',
    tone: 'plain',
    isOffered: ({ buildStatus }) => buildStatus !== null,
  },
  {
    name: 'check-distribution',
    command: 'distributionCheck',
    tone: 'plain',
    isOffered: (analysis) => isBuilt(analysis) && analysis.distributionStatus !== null,
  },
  { name: 'check-storage', command: 'storageCheck', tone: 'plain', isOffered: () => true },
  {
    name: 'unlock',
    command: 'configurationUnlock',
    tone: 'danger',
    isOffered: ({ configurationLocked, buildStatus }) =>
      configurationLocked && (isStartable(buildStatus) || buildStatus === 'stopping'),
  },
]

/** The forms of the commands that a user may run on an analysis. */
export function offeredCommands(page: Page, analysis: AnalysisRow) {
  const offered = COMMANDS.filter(
    ({ isOffered }) => page.may('analysis_update') && isOffered(analysis)
  )
  return offered.map(({ name, tone }) => ({
    name,
    tone,
    to: page.url(`/analyses/${analysis.id}/commands/${name}`),
    command: `hubctl analysis ${name} ${analysis.id}`,
  }))
}

/** Sends a command to an analysis. */
export async function commandAnalysis(page: Page): Promise<Redirect> {
  const id = page.uuid('id')
  const command = COMMANDS.find(({ name }) => name === page.params.command)
  if (!command) {
    throw new PageNotFound()
  }
  await page.hub.post('core', `/analyses/${id}/command`, { command: command.command })
  return page.redirect(addressWith(`/analyses/${id}`, {}), `analyses.commands.${command.name}.done`)
}
