import { listFiles, findFile } from '#hubctl/commands/bucket/bucket_location'
import { download } from '#hubctl/commands/bucket/download'
import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { findAnalysisBucket } from '#hubctl/kinds/analysis_bucket'
import { findRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { ANALYSES, BUCKET_FILES } from '#hubctl/kinds/record_collections'
import { bytes } from '#hubctl/output/bytes'
import { escapedLines, printable } from '#hubctl/output/printable'
import type { Api } from '#hubctl/platform/api'
import { boundedBody } from '#client/body'
import { Problem } from '#hubctl/problem'

const CODE = 'code'
/** What a person reads in a terminal. */
const MAX_SHOWN = 1024 ** 2

/** Lists the files of the code of an analysis, which is what its nodes decide about, and the digest of the whole. */
export async function showFiles(invocation: Invocation, analysis: string): Promise<void> {
  const { output } = invocation
  const api = await invocation.api()
  const { id } = await findRecord(api, ANALYSES, analysis)
  const { bucketId } = await findAnalysisBucket(api, id, CODE)
  const files = await listFiles(api, bucketId, '')
  const rows = files.map(({ size, ...file }) => ({ ...file, size: bytes(size ?? 0) }))
  output.records(output.isTable ? rows : files, {
    kind: BUCKET_FILES.name,
    columns: ['size', 'createdAt', 'path'],
    nothing: `The analysis ${analysis} has no code yet.`,
  })
  output.note(`The digest of the content is ${await contentDigest(api, id)}`)
}

/** The digest of what nodes decide about. */
export async function contentDigest(api: Api, analysisId: string): Promise<string> {
  const path = `${pathOf(ANALYSES, analysisId)}/content`
  const { data } = await api.read<{ data: { digest: string } }>(ANALYSES.service, path)
  return data.digest
}

/** Shows a file of the code as text that controls no terminal, or writes it as it is. */
export async function showFile(
  invocation: Invocation<{ to?: string }>,
  analysis: string,
  path: string
): Promise<ExitCode> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { bucketId } = await findAnalysisBucket(api, analysis, CODE)
  const file = await findFile(api, bucketId, { bucket: `${CODE}@${analysis}`, path })
  if (options.to !== undefined) {
    await download(api, file, options.to, output)
    output.done(`${file.path} was written to ${options.to}`)
    return EXIT.done
  }
  const size = file.size ?? 0
  const text = textIn(await firstBytes(api, file.id, Math.min(size, MAX_SHOWN)), size, file.path)
  output.line(escapedLines(text).replace(/\n$/, ''))
  if (size <= MAX_SHOWN) {
    return EXIT.done
  }
  output.problem(
    `Only the first ${bytes(MAX_SHOWN)} of ${bytes(size)} are shown; --to <file> writes all of it.`
  )
  return EXIT.partly
}

async function firstBytes(api: Api, fileId: string, count: number): Promise<Buffer> {
  const { body } = await api.open(BUCKET_FILES.service, `${pathOf(BUCKET_FILES, fileId)}/stream`, {
    headers: { accept: '*/*' },
  })
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ? boundedBody(body) : []) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length >= count) {
      break
    }
  }
  return Buffer.concat(chunks).subarray(0, count)
}

/** The last character may be cut where not all bytes are shown. */
function textIn(content: Buffer, size: number, path: string): string {
  try {
    const isWhole = content.length === size
    return new TextDecoder('utf-8', { fatal: true }).decode(content, { stream: !isWhole })
  } catch {
    throw new Problem(EXIT.failed, `${printable(path)} is not text, so it is not shown.`, [
      'Write it to a file: --to <file>',
    ])
  }
}
