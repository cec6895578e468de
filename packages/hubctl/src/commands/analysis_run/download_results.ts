import { listFiles } from '#hubctl/commands/bucket/bucket_location'
import { download } from '#hubctl/commands/bucket/download'
import { localPath } from '#hubctl/commands/bucket/local_path'
import { findAnalysisBucket } from '#hubctl/kinds/analysis_bucket'
import type { Output } from '#hubctl/output/output'
import type { Api } from '#hubctl/platform/api'
import type { RunningAnalysis } from './create_analysis.js'

/** Downloads the results of an analysis into a folder. */
export async function downloadResults(
  api: Api,
  { id, name }: RunningAnalysis,
  folder: string,
  output: Output
): Promise<void> {
  const { bucketId } = await findAnalysisBucket(api, id, 'result')
  const files = await listFiles(api, bucketId, '')
  for (const file of files) {
    await download(api, file, localPath(folder, file.path), output)
  }
  const names = files.map(({ path }) => localPath(folder, path)).join(', ')
  output.done(files.length === 0 ? `${name} has no result` : `The result of ${name} is in ${names}`)
}
