import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

import { test } from '@japa/runner'

import type { BackupStore } from '#backup/backup_store'
import { objectSections } from '#backup/objects/object_list'
import { runAsLeader } from '#jobs/leader_election'
import { NO_REALM } from '#query/sql/maintained_total'
import { objectAddress } from '#storage/objects/layout'
import { anchorHeads } from '#telemetry/trail/anchor_sweep'
import { eventWith, storeEvents } from '#tests/integration/telemetry/trail_scene'
import { allKinds } from '#tests/helpers/records/all_kinds'
import { boot } from '#tests/helpers/application'
import { BackedUp } from './backed_up.js'
import { eventually } from '#tests/helpers/eventually'
import { sampleRecord } from '#tests/helpers/sample_records'

export interface BackupSubject {
  /** Environment variables of the backup commands. */
  readonly variables: Record<string, string>
  /** A new location, as a command option. */
  newPlace(): string
  open(named: string): Promise<BackupStore>
  stop(): Promise<void>
}

/** Enough for several objects per section. */
const FILES = 300

interface Stored {
  readonly id: string
  readonly hash: string
  readonly bytes: Buffer
}

/** Tests backups for each kind of backup store. */
export function backupSuite(name: string, prepare: () => Promise<BackupSubject>): void {
  test.group(`Backup | ${name}`, (group) => {
    const bucketId = randomUUID()
    let parent: string
    let subject: BackupSubject
    let original: BackedUp
    let location: string
    let files: Stored[]

    group.setup(async () => {
      parent = await mkdtemp(join(tmpdir(), 'hub-backup-'))
      await boot()
      subject = await prepare()
      original = await BackedUp.own(parent, subject.variables)
      files = await fill()
      location = subject.newPlace()
      const { code, output } = await original.run('backup', `--to=${location}`)
      if (code !== 0) {
        throw new Error(output)
      }
      return async () => {
        await original.stop()
        await subject.stop()
        await rm(parent, { recursive: true, force: true })
      }
    })

    /** Creates a record of every kind, and files with objects. */
    async function fill(): Promise<Stored[]> {
      for (const { surface, kind } of allKinds) {
        await sampleRecord(surface, kind)
      }
      await original.pool.query('delete from bucket_files')
      await original.pool.query('truncate events, event_chains, event_batches, event_removals')
      await original.pool.query(`select nextval('outbox_position_seq')`)
      await storeEvents(
        original.pool,
        Array.from({ length: 20 }, () => eventWith())
      )
      await anchorHeads(original.pool, original.anchor)
      await original.pool.query(`insert into buckets (id, name) values ($1, 'backed up')`, [
        bucketId,
      ])
      await original.pool.query(
        `insert into bucket_locations (bucket_id, layout) values ($1, 'own')`,
        [bucketId]
      )
      const made: Stored[] = []
      for (let n = 0; n < FILES; n++) {
        made.push(await storeFile(randomBytes(n * 10)))
      }
      return made
    }

    async function storeFile(bytes: Buffer): Promise<Stored> {
      const [id, hash] = [randomUUID(), randomBytes(16).toString('hex')]
      const address = objectAddress('own', bucketId, hash)
      await original.store.makeContainer(address.container)
      await original.store.put(address, streamed(bytes))
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      await original.pool.query(
        `insert into bucket_files (id, name, path, hash, sha256, size, actor_type, actor_id, bucket_id)
         values ($1, $2, $2, $2, $3, $4, 'user', $1, $5)`,
        [id, hash, sha256, bytes.length, bucketId]
      )
      return { id, hash, bytes }
    }

    async function requireObjects(restored: BackedUp, expected: readonly Stored[]) {
      for (const { hash, bytes } of expected) {
        const found = await buffer(await restored.store.read(objectAddress('own', bucketId, hash)))
        if (!found.equals(bytes)) {
          throw new Error(`${hash} has other bytes`)
        }
      }
    }

    async function restoredFrom(named: string, cleanup: (stop: () => Promise<void>) => void) {
      const restored = await BackedUp.empty(parent, subject.variables)
      cleanup(() => restored.stop())
      return { restored, ...(await restored.run('restore', `--from=${named}`)) }
    }

    test('a backup restores every row, object, sequence and trail head', async ({
      assert,
      cleanup,
    }) => {
      const { restored, code, output } = await restoredFrom(location, cleanup)
      assert.equal(code, 0, output)
      assert.deepEqual(await restored.digests(), await original.digests())
      await requireObjects(restored, files)
      const result = await restored.run('audit:verify')
      assert.equal(result.code, 0, result.output)
      assert.notInclude(result.output, 'is not anchored')
      const wrong = await restored.pool.query(`
        select list, realm_id from record_totals t where list = 'bucket_files' and records <> (
          select count(*) from bucket_files f
          where coalesce(f.realm_id, '${NO_REALM}') = t.realm_id)`)
      assert.deepEqual(wrong.rows, [])
      const number = `select last_value from pg_sequences where sequencename = 'outbox_position_seq'`
      const [there, here] = [await original.pool.query(number), await restored.pool.query(number)]
      assert.deepEqual(here.rows, there.rows)
      assert.isNotNull(here.rows[0].last_value)
    })

    test('a backup is noted in the database, so that operators see how old it is', async ({
      assert,
    }) => {
      const { rows } = await original.pool.query<{ isComplete: boolean }>(
        `select ended_at >= started_at and version <> '' as "isComplete" from backups`
      )

      assert.isNotEmpty(rows)
      assert.isTrue(rows.every(({ isComplete }) => isComplete))
    })

    test('an installation with another key refuses it and stays empty', async ({
      assert,
      cleanup,
    }) => {
      const other = await BackedUp.empty(parent, {
        ...subject.variables,
        APP_KEY: randomBytes(32).toString('hex'),
      })
      cleanup(() => other.stop())
      const { code, output } = await other.run('restore', `--from=${location}`)
      assert.equal(code, 1)
      assert.include(output, 'another APP_KEY')
      assert.deepEqual(await other.tables(), [])
    })

    test('an installation with rows or objects refuses it', async ({ assert, cleanup }) => {
      const { code, output } = await original.run('restore', `--from=${location}`)
      assert.equal(code, 1)
      assert.match(output, /is not empty: table/)
      const other = await BackedUp.empty(parent, subject.variables)
      cleanup(() => other.stop())
      const address = objectAddress('own', bucketId, files[5]!.hash)
      await other.store.makeContainer(address.container)
      await other.store.put(address, streamed(files[5]!.bytes))
      const again = await other.run('restore', `--from=${location}`)
      assert.equal(again.code, 1)
      assert.include(again.output, 'The object store is not empty')
      assert.deepEqual(await other.tables(), [])
    })

    test('a backup restores objects to the configured layout', async ({ assert, cleanup }) => {
      const elsewhere = randomUUID()
      const hash = randomBytes(16).toString('hex')
      const bytes = randomBytes(500)
      const before = objectAddress('shared:another-bucket', elsewhere, hash)
      await original.store.makeContainer(before.container)
      await original.store.put(before, streamed(bytes))
      await original.pool.query(`insert into buckets (id, name) values ($1, 'elsewhere')`, [
        elsewhere,
      ])
      await original.pool.query(
        `insert into bucket_locations (bucket_id, layout)
         values ($1, 'shared:another-bucket'), ($1, 'shared:a-third')`,
        [elsewhere]
      )
      await original.pool.query(
        `insert into bucket_files (id, name, path, hash, layout, size, actor_type, actor_id, bucket_id)
         values ($1, 'a', 'a', $2, 'shared:another-bucket', 500, 'user', $1, $1)`,
        [elsewhere, hash]
      )
      cleanup(async () => {
        await original.pool.query('delete from buckets where id = $1', [elsewhere])
        await original.pool.query('delete from bucket_locations where bucket_id = $1', [elsewhere])
      })
      const own = subject.newPlace()
      assert.equal((await original.run('backup', `--to=${own}`)).code, 0)
      const { restored, code, output } = await restoredFrom(own, cleanup)
      assert.equal(code, 0, output)
      const found = await restored.store.read(objectAddress('own', elsewhere, hash))
      assert.isTrue((await buffer(found)).equals(bytes))
      assert.lengthOf(await Array.fromAsync(restored.store.list(before.container)), 0)
      const { rows } = await restored.pool.query(
        `select layout from bucket_files where bucket_id = $1
         union all select layout from bucket_locations where bucket_id = $1`,
        [elsewhere]
      )
      assert.deepEqual(rows, [{ layout: 'own' }, { layout: 'own' }])
      await requireObjects(restored, files)
    })

    test('a backup names damaged parts: tables before anything is written, objects after all others', async ({
      assert,
      cleanup,
    }) => {
      const own = subject.newPlace()
      assert.equal((await original.run('backup', `--to=${own}`)).code, 0)
      const opened = await subject.open(own)
      cleanup(async () => opened.close())
      const table = await nameIn(opened, 'tables', (part) => part.endsWith('.bucket_files.zst'))
      const mend = await flip(opened, table)
      const { code, output, restored } = await restoredFrom(own, cleanup)
      assert.equal(code, 1)
      assert.include(output, table)
      assert.deepEqual(await restored.tables(), [])
      await mend()
      const section = await eventually(async () => sectionWithBytes(opened))
      await flip(opened, await nameIn(opened, section, (_, size) => size > 0))
      const second = await restored.run('restore', `--from=${own}`)
      assert.equal(second.code, 1)
      assert.match(second.output, /is damaged[^]*1 files have no object/)
      assert.deepEqual(await restored.digests(), await original.digests())
    })

    test('copies only objects that the store does not have yet', async ({ assert, cleanup }) => {
      const opened = await subject.open(location)
      cleanup(async () => opened.close())
      const section = await sectionWithBytes(opened)
      const missing = await nameIn(opened, section!, (_, size) => size > 0)
      const bytesOfMissing = await buffer(await opened.read(missing))
      await opened.remove(missing)
      const away = files.findLast(({ bytes }) => !bytes.equals(bytesOfMissing))!
      await original.store.delete(objectAddress('own', bucketId, away.hash))
      cleanup(async () => {
        const address = objectAddress('own', bucketId, away.hash)
        await original.store.put(address, streamed(away.bytes))
      })
      const { code, output } = await original.run('backup', `--to=${location}`)
      assert.equal(code, 0, output)
      const { restored, ...restoration } = await restoredFrom(location, cleanup)
      assert.equal(restoration.code, 0, restoration.output)
      await requireObjects(restored, files)
    })

    test('blocks sweeps while it copies objects', async ({ assert, cleanup }) => {
      const removed = await storeFile(randomBytes(1_000))
      const holder = await original.pool.connect()
      cleanup(async () => holder.release())
      await holder.query('begin')
      await holder.query('lock table users in access exclusive mode')
      const own = subject.newPlace()
      const backup = await original.start('backup', `--to=${own}`)
      await eventually(async () => (await waitingFor(original)) > 0, 60_000)
      const swept = await runAsLeader(original.pool, 'sweep:objects', async () => 'swept')
      assert.isUndefined(swept)
      const { isRemovalSuspended } = await import('#storage/sweeps/object_retention')
      assert.isTrue(await isRemovalSuspended())
      await original.pool.query('delete from bucket_files where id = $1', [removed.id])
      await original.pool.query(
        `insert into inbox (consumer, message_id) values ('late', 'one'); insert into tasks (queue, key, data, due_at) values ('late', 'one', '{}', now())`
      )
      await holder.query('rollback')
      const { code, output } = await backup.ended()
      assert.equal(code, 0, output)
      assert.isFalse(await isRemovalSuspended())
      const { restored, ...restoration } = await restoredFrom(own, cleanup)
      assert.equal(restoration.code, 0, restoration.output)
      await requireObjects(restored, [...files, removed])
      const late = await restored.pool.query(
        `select 1 from inbox where consumer = 'late' union all select 1 from tasks where queue = 'late'`
      )
      assert.equal(late.rowCount, 0)
      await original.pool.query(`delete from inbox where consumer = 'late'`)
      await original.pool.query(`delete from tasks where queue = 'late'`)
    })

    test('an interrupted backup is not valid, and resumes', async ({ assert, cleanup }) => {
      const own = subject.newPlace()
      for (const end of ['SIGKILL', 'SIGINT'] as const) {
        const holder = await original.pool.connect()
        await holder.query('begin')
        await holder.query('lock table users in access exclusive mode')
        const backup = await original.start('backup', `--to=${own}`)
        await eventually(async () => (await waitingFor(original)) > 0, 60_000)
        backup.signal(end)
        const { code } = await backup.ended()
        await holder.query('rollback')
        holder.release()
        assert.equal(code, end === 'SIGINT' ? 130 : null)
        const { code: refused, output, restored } = await restoredFrom(own, cleanup)
        assert.equal(refused, 1)
        assert.include(output, 'no complete backup')
        assert.deepEqual(await restored.tables(), [])
      }
      assert.equal((await original.run('backup', `--to=${own}`)).code, 0)
      assert.equal((await restoredFrom(own, cleanup)).code, 0)
    }).timeout(600_000)

    test('an interrupted restoration resumes, and the platform does not start before it is complete', async ({
      assert,
      cleanup,
    }) => {
      const restored = await BackedUp.empty(parent, subject.variables)
      cleanup(() => restored.stop())
      for (const table of ['restoration', 'bucket_files']) {
        const restoration = await restored.start('restore', `--from=${location}`)
        await eventually(async () => (await restored.tables()).includes(table), 60_000)
        restoration.signal('SIGKILL')
        await restoration.ended()
      }
      const start = await restored.run('hub:migrate')
      assert.notEqual(start.code, 0)
      assert.include(start.output, 'is not finished')
      const other = subject.newPlace()
      assert.equal((await original.run('backup', `--to=${other}`)).code, 0)
      const refused = await restored.run('restore', `--from=${other}`)
      assert.include(refused.output, 'is being restored into the database')
      const { code, output } = await restored.run('restore', `--from=${location}`)
      assert.equal(code, 0, output)
      await requireObjects(restored, files)
      assert.deepEqual(await restored.digests(), await original.digests())
      assert.equal((await restored.run('hub:migrate')).code, 0)
    }).timeout(600_000)
  })
}

/** The number of backup connections that wait for a lock. */
async function waitingFor({ pool }: BackedUp): Promise<number> {
  const { rowCount } = await pool.query(
    `select 1 from pg_stat_activity where application_name = 'analysis-hub backup'
     and wait_event_type = 'Lock' and datname = current_database()`
  )
  return rowCount ?? 0
}

async function nameIn(
  location: BackupStore,
  section: string,
  isIt: (name: string, size: number) => boolean
): Promise<string> {
  for await (const { name, size } of location.list(section)) {
    if (isIt(name, size)) {
      return name
    }
  }
  throw new Error(`There is no such part in ${section}`)
}

async function sectionWithBytes(location: BackupStore): Promise<string | undefined> {
  for (const section of objectSections()) {
    for await (const { size } of location.list(section)) {
      if (size > 0) {
        return section
      }
    }
  }
  return undefined
}

const streamed = (bytes: Buffer): AsyncIterable<Uint8Array> => Readable.from([bytes])

/** Flips one bit of a part and returns a function that restores it. */
async function flip(location: BackupStore, name: string): Promise<() => Promise<void>> {
  const bytes = await buffer(await location.read(name))
  const changed = Buffer.from(bytes)
  changed[Math.floor(bytes.length / 2)]! ^= 1
  const put = async (content: Buffer) => void (await location.put(name, streamed(content)))
  await put(changed)
  return () => put(bytes)
}
