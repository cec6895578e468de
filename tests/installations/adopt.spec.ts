import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'
import pg from 'pg'

import { FormerPlatform } from '#tests/former/former_platform'
import { Ace } from '#tests/helpers/ace'
import { emptyDatabase } from '#tests/helpers/database/empty_database'

const ROWS = 20_000

test.group('hub:adopt', (group) => {
  let former: FormerPlatform
  let database: Awaited<ReturnType<typeof emptyDatabase>>
  let variables: NodeJS.ProcessEnv

  group.setup(async () => {
    former = await FormerPlatform.make(process.env.DATABASE_URL!)
    await former.fill(ROWS)
    database = await emptyDatabase()
    const named = Object.entries(former.addresses)
    variables = {
      DATABASE_URL: database.url,
      ...Object.fromEntries(
        named.map(([service, url]) => [`FORMER_${service.toUpperCase()}_DATABASE_URL`, url])
      ),
    }
    return async () => {
      await database.stop()
      await former.remove()
    }
  })

  test('the command rejects a password in its arguments', async ({ assert }) => {
    const address = new URL(former.addresses.core)
    address.password = 'hidden'
    const { code, output } = await Ace.run(['hub:adopt', `--from=core=${address.href}`], variables)
    assert.equal(code, 1)
    assert.include(output, 'FORMER_DATABASE_PASSWORD')
    assert.notInclude(output, 'hidden')
  })

  test('the command names the store to configure if another one is given', async ({ assert }) => {
    const args = ['hub:adopt', '--objects=https://s3.example.org']
    const { code, output } = await Ace.run(args, variables)
    assert.equal(code, 1)
    assert.include(output, 'S3_ENDPOINT=https://s3.example.org')
  })

  test('the command asks for migrations if a dry run finds no tables', async ({ assert }) => {
    const { code, output } = await Ace.run(['hub:adopt', '--dry-run'], variables)
    assert.equal(code, 1)
    assert.include(output, 'hub:migrate')
  })

  test('finishes its batch when interrupted, and resumes later', async ({ assert }) => {
    const stopped = Ace.start(['hub:adopt'], variables)
    await stopped.untilOutput('storage: taking bucket_files')
    stopped.signal('SIGTERM')
    const { code, output } = await stopped.ended
    assert.equal(code, 2, output)
    assert.include(output, 'Run it again')

    const rest = await Ace.run(['hub:adopt', '--last'], variables)
    assert.include(rest.output, 'All records are here, but some files are missing')
    assert.notInclude(rest.output, 'All records and files')
    assert.notInclude(rest.output, 'complete and closed')
    assert.equal(rest.code, 1)
    const pool = new pg.Pool({ connectionString: database.url })
    const { rows } = await pool.query(
      `select (select count(*)::int from bucket_files) as files, (select count(*)::int from events) as events,
         exists (select from adoption_runs where is_open) as "isOpen"`
    )
    assert.deepEqual(rows, [{ files: ROWS, events: ROWS, isOpen: true }])
    await pool.end()
  })

  test('the command takes nothing once it is closed, and says what the first sweeps will change', async ({
    assert,
  }) => {
    const pool = new pg.Pool({ connectionString: database.url })
    const [bucketFile] = (
      await pool.query<{ id: string }>('delete from bucket_files where path = $1 returning id', [
        'folder/file-1.py',
      ])
    ).rows
    await pool.query('update adoption_runs set is_open = false')
    await pool.query(`update nodes set type = 'default'`)
    await pool.end()
    const again = await Ace.run(['hub:adopt'], variables)
    assert.equal(again.code, 1)
    assert.include(again.output, '--reopen')

    const folder = await mkdtemp(join(tmpdir(), 'adopt-'))
    const report = join(folder, 'report.tsv')
    const ahead = await Ace.run(['hub:adopt', '--check', `--report=${report}`], variables)
    assert.equal(ahead.code, 1, ahead.output)
    assert.include(ahead.output, 'is listed by core, but not in storage')
    assert.include(ahead.output, 'approval of a node will be withdrawn')
    assert.match(ahead.output, /core\.realms: is unknown to the identity provider/)
    const lines = (await readFile(report, 'utf8')).trim().split('\n')
    assert.isTrue(lines.some((line) => line.endsWith(`\t${bucketFile!.id}`)))
    const refused = await Ace.run(['hub:adopt', '--check', `--report=${report}`], variables)
    assert.include(refused.output, '--report')
    assert.equal(refused.code, 1)
    await rm(folder, { recursive: true })
  })
})
