import type { ExitCode } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { nodesOfAnalysis } from '#hubctl/kinds/nodes_of_analysis'
import { ANALYSES } from '#hubctl/kinds/record_collections'
import { realmNames } from '#hubctl/kinds/realm_names'
import { ageOf } from '#hubctl/output/age'
import { nameOf } from '#hubctl/output/cell'
import { printable } from '#hubctl/output/printable'
import { styled } from '#hubctl/output/styled'
import { parseInterval, watch } from '#hubctl/output/watch'
import { inContext } from '#hubctl/problem'
import type { Api } from '#hubctl/platform/api'
import { withHubctlCommands } from '#hubctl/platform/analysis_commands'
import { executionLine, outputLines, type NodeExecution } from './node_execution_line.js'
import { nextStep, conditionText, type Subject } from './analysis_conditions.js'

interface Responsible {
  readonly type: string
  readonly realmId?: string
  readonly nodeId?: string
}

interface Condition {
  readonly code: string
  readonly holds: boolean
  readonly since: string | null
  readonly who: readonly Responsible[]
  readonly reason?: string
  readonly nodes?: readonly NodeExecution[]
}

interface Explanation {
  readonly phase: string
  readonly ready: boolean
  readonly conditions: readonly Condition[]
}

type DescribeResponsible = (responsible: Responsible) => string

/** Shows the conditions that block an analysis and who must act. */
export async function explain(
  invocation: Invocation<{ watch?: string | boolean }>,
  idOrName: string
): Promise<ExitCode | void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const {
    id,
    name = id,
    project,
  } = await findRecord(api, ANALYSES, idOrName, {
    shape: [['include', 'project']],
  })
  const subject = { analysis: idOrName, project: nameOf(project) ?? '<project>' }
  const nodes = await nodesOfAnalysis(api, id)
  const describe = await responsibleNames(api, nodes)
  return watch(parseInterval(options.watch), async () => {
    const path = `${pathOf(ANALYSES, id)}/explain`
    const { data } = await api.read<{ data: Explanation }>(ANALYSES.service, path)
    if (!output.isTable) {
      return output.value(data)
    }
    output.line(
      `${styled('bold', printable(name))} is in the phase ${styled('bold', printable(data.phase))}.`
    )
    const lines = data.conditions.flatMap((condition) =>
      conditionLines(condition, subject, describe, nodes)
    )
    const next = data.ready ? [nextStep(data.phase, idOrName)] : []
    output.lines([...lines, ...next].map((line) => inContext(line, options.context)))
  })
}

/** An unmet condition lists its reason, who must act, and the command to run. */
function conditionLines(
  { code, holds, since, who, reason, nodes: executions }: Condition,
  subject: Subject,
  describe: DescribeResponsible,
  nodes: ReadonlyMap<string, string>
): string[] {
  const { text, remedy } = conditionText(code)
  if (holds) {
    return [`  ${styled('green', '✔')} ${text}`]
  }
  const age = since === null ? '' : ` for ${ageOf(since)}`
  const lines = [
    ...(reason === undefined ? [] : [withHubctlCommands(printable(reason))]),
    ...(executions?.flatMap((one) => [executionLine(one, nodes), ...outputLines(one)]) ??
      who.map((responsible) => `must act: ${describe(responsible)}`)),
    ...(remedy ? [remedy(subject)] : []),
  ]
  return [`  ${styled('red', '✘')} not yet${age}: ${text}`, ...lines.map((line) => `      ${line}`)]
}

/** Describes those who must act by the names of their nodes and realms. */
async function responsibleNames(
  api: Api,
  nodes: ReadonlyMap<string, string>
): Promise<DescribeResponsible> {
  const realm = await realmNames(api)
  return ({ type, realmId, nodeId }) => {
    const node = nodeId === undefined ? [] : [`node ${nodes.get(nodeId) ?? nodeId}`]
    const owner = realmId === undefined ? [] : [`realm ${realm(realmId)}`]
    const words = [...node, ...owner]
    return words.length > 0 ? words.join(' of ') : `the ${type}`
  }
}
