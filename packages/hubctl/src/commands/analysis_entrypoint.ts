import { setTimeout as pause } from 'node:timers/promises'

import { EXIT } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { findAnalysisBucket } from '#hubctl/kinds/analysis_bucket'
import type { NamedRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { ANALYSIS_BUCKET_FILES as FILES } from '#hubctl/kinds/record_collections'
import type { Api } from '#hubctl/platform/api'
import { allOf } from '#hubctl/platform/pages'
import { Problem } from '#hubctl/problem'

/** The analysis learns of an uploaded file with a short delay. */
const TIMEOUT_MS = 5_000
const POLL_INTERVAL_MS = 250

/** Sets a file of the code as the entrypoint of an analysis. */
export async function chooseEntrypoint(
  invocation: Invocation,
  idOrName: string,
  path: string
): Promise<void> {
  const { output } = invocation
  const api = await invocation.api()
  const { id } = await waitForCodeFile(api, idOrName, path)
  const changed = await api.change<{ data: NamedRecord }>(
    'POST',
    FILES.service,
    pathOf(FILES, id),
    {
      root: true,
    }
  )
  if (changed) {
    output.done(`The analysis ${idOrName} starts with ${path}`, changed.data, FILES.name)
  }
}

/** Waits for a file of the code that was just uploaded. */
export async function waitForCodeFile(
  api: Api,
  analysis: string,
  path: string
): Promise<NamedRecord> {
  const { id } = await findAnalysisBucket(api, analysis, 'code')
  const condition = `and(eq(analysisBucketId,'${id}'),eq(path,'${path.replaceAll("'", "''")}'))`
  for (const deadline = Date.now() + TIMEOUT_MS; ; await pause(POLL_INTERVAL_MS)) {
    const [found] = await allOf<NamedRecord>(api, FILES.service, FILES.path, {
      query: [['filter', condition]],
    })
    if (found) {
      return found
    }
    if (Date.now() > deadline) {
      throw new Problem(EXIT.notFound, `The code of ${analysis} has no file ${path}.`, [
        `Upload it: hubctl bucket cp ${path} code@${analysis}:`,
        `List its files: hubctl bucket ls code@${analysis}:`,
      ])
    }
  }
}
