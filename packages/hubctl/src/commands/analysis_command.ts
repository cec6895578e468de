import type { Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { ANALYSES } from '#hubctl/kinds/record_collections'
import { noteWarnings, type WithWarnings } from '#hubctl/output/warnings'
import { ANALYSIS_COMMANDS, type AnalysisCommand } from '#hubctl/platform/analysis_commands'
import { ApiError } from '#hubctl/platform/api_error'

interface CommandAnswer extends WithWarnings {
  readonly data: NamedRecord
}

/** Sends a command to an analysis. If it is refused, the error points to `analysis explain`. */
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
  return error instanceof ApiError && error.code === 'ANALYSIS_ERROR'
    ? new ApiError(
        error.exitCode,
        error.message,
        [...error.advice, `See who must act: hubctl analysis explain ${analysis}`],
        error.status,
        error.code
      )
    : error
}
