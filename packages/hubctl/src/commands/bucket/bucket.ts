import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { pathOf } from '#hubctl/kinds/kind'
import { BUCKET_FILES, BUCKETS } from '#hubctl/kinds/record_collections'
import { withConfirmation, withDryRun } from '#hubctl/options'
import { bytes } from '#hubctl/output/bytes'
import { writeUntrusted } from '#hubctl/output/write_untrusted'
import { requireConfirmation } from '#hubctl/output/prompts'
import { boundedBody } from '#client/body'
import { allOf } from '#hubctl/platform/pages'
import { copy } from './copy.js'
import {
  findBucket,
  findFile,
  listFiles,
  parseBucketLocation,
  requireBucketLocation,
  type BucketFile,
} from './bucket_location.js'

const COPY_HELP = `
To resume an interrupted copy, run the same command again. The SHA-256 checksums
of both sides are compared. The buckets of an analysis are code@<analysis>,
result@<analysis> and temp@<analysis>.

Examples:
  hubctl bucket cp table.csv results:2026/table.csv
  hubctl bucket cp results:2026/table.csv .
  hubctl bucket cp --recursive code code@trial:`

export function bucketCommand(): Command {
  return new Command('bucket')
    .description('list buckets and copy files; a location is <bucket>:<path>')
    .addCommand(
      new Command('ls')
        .description('list buckets, or the files of one')
        .argument('[place]', '<bucket>:<path>')
        .action(perform(list))
    )
    .addCommand(
      new Command('usage')
        .description('show how much is stored, to operators')
        .action(perform(showUsage))
    )
    .addCommand(
      withDryRun(
        new Command('cp')
          .description('copy files into a bucket, or out of it')
          .argument('<from>', 'a file, or <bucket>:<path>')
          .argument('<to>', 'a file or folder, or <bucket>:<path>')
          .option('-r, --recursive', 'all files below it')
          .addHelpText('after', COPY_HELP)
      ).action(perform(copy))
    )
    .addCommand(
      new Command('cat')
        .description('write a file to standard output')
        .argument('<place>', '<bucket>:<path>')
        .action(perform(printFile))
    )
    .addCommand(
      withConfirmation(
        new Command('rm')
          .description('delete files')
          .argument('<places...>', '<bucket>:<path>')
          .option('-r, --recursive', 'all files below it')
      ).action(perform(remove))
    )
}

interface Usage {
  readonly buckets: number
  readonly files: number
  readonly bytes: number
}

async function showUsage(invocation: Invocation): Promise<void> {
  const { output } = invocation
  const api = await invocation.api()
  const { data } = await api.read<{ data: Usage }>(BUCKETS.service, '/usage')
  if (!output.isTable) {
    return output.value(data)
  }
  output.line(`${bytes(data.bytes)} in ${data.files} files of ${data.buckets} buckets`)
}

async function list(invocation: Invocation, text: string | undefined): Promise<void> {
  const { output } = invocation
  const api = await invocation.api()
  if (text === undefined) {
    const buckets = await allOf(api, BUCKETS.service, BUCKETS.path)
    return output.records(buckets, { kind: BUCKETS.name, columns: ['name', 'createdAt'] })
  }
  const location = parseBucketLocation(text) ?? { bucket: text, path: '' }
  const { id } = await findBucket(api, location)
  const files = await listFiles(api, id, location.path)
  output.records(output.isTable ? files.map(rowOf) : files, {
    kind: BUCKET_FILES.name,
    columns: ['size', 'createdAt', 'path'],
    nothing: `There is no file in ${text}.`,
  })
}

function rowOf({ size, createdAt, path }: BucketFile) {
  return { size: bytes(size ?? 0), createdAt, path }
}

async function printFile(invocation: Invocation, text: string): Promise<void> {
  const location = requireBucketLocation(text)
  const api = await invocation.api()
  const bucket = await findBucket(api, location)
  const { id, size } = await findFile(api, bucket.id, location)
  const { body } = await api.open(BUCKET_FILES.service, `${pathOf(BUCKET_FILES, id)}/stream`, {
    headers: { accept: '*/*' },
  })
  if (body) {
    await writeUntrusted(boundedBody(body, size === null ? {} : { maxBytes: size }))
  }
}

async function remove(
  invocation: Invocation<{ yes?: boolean; recursive?: boolean }>,
  texts: string[]
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const found: { file: BucketFile; bucket: string }[] = []
  for (const location of texts.map(requireBucketLocation)) {
    const { id } = await findBucket(api, location)
    const files = options.recursive
      ? await listFiles(api, id, location.path)
      : [await findFile(api, id, location)]
    found.push(...files.map((file) => ({ file, bucket: location.bucket })))
  }
  if (found.length === 0) {
    return output.note('There are no such files.')
  }
  const what = found.length === 1 ? found[0]!.file.path : `${found.length} files`
  await requireConfirmation(`Delete ${what}?`, { yes: Boolean(options.yes) || api.isPlanning })
  for (const { file, bucket } of found) {
    if (await api.change('DELETE', BUCKET_FILES.service, pathOf(BUCKET_FILES, file.id))) {
      output.done(`${bucket}:${file.path} was deleted`, file, BUCKET_FILES.name)
    }
  }
}
