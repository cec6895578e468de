import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { startRadosgw } from '#tests/services/servers/radosgw'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const FILES = ['upload', 'download', 'tar', 'sweep', 'deletion']

test.group('Storage routes | radosgw', (group) => {
  let gateway: Awaited<ReturnType<typeof startRadosgw>>

  group.setup(async () => {
    gateway = await startRadosgw()
    return () => gateway.stop()
  })

  test('the routes do over a real S3 server what they do over a folder: {0}')
    .with([
      ['each bucket an S3 bucket', {}],
      ['all buckets in one', { S3_BUCKET: 'storage-routes' }],
    ] as [string, Record<string, string>][])
    .run(async ({ assert }, [, layout]) => {
      const files = FILES.flatMap((name) => ['--files', `functional/storage/${name}`])
      const run = spawn(
        process.execPath,
        [...process.execArgv, 'bin/test.ts', 'functional', ...files],
        {
          cwd: ROOT,
          stdio: ['ignore', 'pipe', 'inherit'],
          env: {
            ...process.env,
            ...layout,
            DATABASE_URL: undefined,
            ...s3VariablesFor(gateway.url),
          },
        }
      )
      const [output, [code]] = await Promise.all([text(run.stdout), once(run, 'exit')])
      assert.equal(code, 0, output)
      assert.match(output, /[1-9]\d* passed, 0 failed, 0 skipped/)
    })
    .timeout(600_000)
})
