import type { Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { ANALYSES } from '#hubctl/kinds/record_collections'
import { noteWarnings, type Warned } from '#hubctl/output/warnings'
import { ANALYSIS_COMMANDS, type AnalysisCommand } from '#hubctl/platform/platform_commands'
import { Refusal } from '#hubctl/platform/refusals'

interface CommandAnswer extends Warned {
  readonly data: NamedRecord
}

/** Sends a command to an analysis. What is in the way of it is explained by a command of its own. */
export async function commandAnalysis(
  invocation: Invocation,
  command: AnalysisCommand,
  idOrName: string
): Promise<void> {
  const { output } = invocation
  const api = await invocation.api()
  const { id, name } = await findRecord(api, ANALYSES, idOrName)
  const path = `${pathOf(ANALYSES, id)}/command`
  const answer = await api
    .change<CommandAnswer>('POST', ANALYSES.service, path, { command })
    .catch((error: unknown) => {
      throw withExplainHint(error, idOrName)
    })
  if (answer) {
    output.done(ANALYSIS_COMMANDS[command].done(name ?? id), answer.data, ANALYSES.name)
    noteWarnings(output, answer)
  }
}

function withExplainHint(error: unknown, analysis: string): unknown {
  return error instanceof Refusal && error.code === 'ANALYSIS_ERROR'
    ? new Refusal(
        error.exitCode,
        error.message,
        [...error.advice, `Whose turn it is: hubctl analysis explain ${analysis}`],
        error.status,
        error.code
      )
    : error
}
