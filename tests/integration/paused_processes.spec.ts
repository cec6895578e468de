import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import { realTime } from '#tests/helpers/real_time'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { pauseInhabitants, signalInhabitants } from '#tests/services/servers/inhabitants'
import { livingIn } from '#tests/services/servers/process_table'

/** Begins one process after the other, each of which counts for a while and then says so. */
const BEGINS_OTHERS =
  'while :; do (i=0; while [ $i -lt 9999 ]; do i=$((i + 1)); done; echo >> said); done'
const WRITE_INTERVAL_MS = 60

test.group('Processes that begin others', () => {
  test('processes are paused with those that were started meanwhile', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    spawn('/bin/sh', ['-c', BEGINS_OTHERS], { cwd: folder, stdio: 'ignore' })
    cleanup(async () => {
      await pauseInhabitants(folder)
      signalInhabitants(folder, 'SIGKILL')
      await eventually(() => livingIn(folder).length === 0)
    })
    const writtenBytes = async () =>
      (await stat(join(folder, 'said')).catch(() => undefined))?.size ?? 0
    await eventually(async () => (await writtenBytes()) > 0)
    for (let round = 1; round <= 20; round++) {
      await pauseInhabitants(folder)
      const before = await writtenBytes()
      await realTime(WRITE_INTERVAL_MS, 'the processes would write in it')
      assert.equal(await writtenBytes(), before)
      signalInhabitants(folder, 'SIGCONT')
      await eventually(async () => (await writtenBytes()) > before)
    }
  })
})
