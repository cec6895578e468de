import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { shellBlocks } from '#tests/helpers/shell_blocks'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const run = promisify(execFile)

test('The secrets of an older installation are moved, and existing files stay', async ({
  assert,
  cleanup,
}) => {
  const folder = await temporaryFolder(cleanup)
  const secrets = join(folder, 'secrets')
  const variables = join(folder, 'analysis-hub.env')
  await mkdir(secrets)
  await writeFile(join(secrets, 'APP_KEY'), 'kept\n')
  await writeFile(variables, 'HOST=127.0.0.1\nDATABASE_URL=postgres://h:a=b@c/d\n')
  const block = (await shellBlocks('server.md')).find((text) =>
    text.includes('for name in APP_KEY')
  )
  const typed = `sudo() { "$@"; }\n${block}`
    .replaceAll('/etc/analysis-hub/secrets', secrets)
    .replaceAll('/etc/analysis-hub.env', variables)
  for (let times = 0; times < 2; times++) {
    await run('bash', ['--norc', '-euc', typed])
  }

  assert.sameMembers(await readdir(secrets), ['APP_KEY', 'DATABASE_URL'])
  assert.equal(await readFile(join(secrets, 'APP_KEY'), 'utf8'), 'kept\n')
  assert.equal(await readFile(join(secrets, 'DATABASE_URL'), 'utf8'), 'postgres://h:a=b@c/d\n')
  assert.equal(await readFile(variables, 'utf8'), 'HOST=127.0.0.1\n')
})
