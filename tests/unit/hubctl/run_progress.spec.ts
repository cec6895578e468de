import { mock } from 'node:test'
import { stripVTControlCharacters } from 'node:util'

import { test } from '@japa/runner'

import { RunProgress } from '#hubctl/commands/analysis_run/run_progress'
import { formatIn } from '#hubctl/output/format'
import { Output } from '#hubctl/output/output'

class Shown extends Output {
  readonly notes: string[] = []

  override note(text: string): void {
    this.notes.push(stripVTControlCharacters(text).trim())
  }
}

test.group('What a run shows', (group) => {
  group.each.setup(() => {
    mock.timers.enable({ apis: ['Date'] })
    return () => mock.timers.reset()
  })

  test('a run repeats what it waits for, after pauses that double', ({ assert }) => {
    const output = new Shown({ output: formatIn('table') })
    const progress = new RunProgress(output)
    progress.step('Builds the image')
    for (let seconds = 0; seconds < 30; seconds++) {
      progress.wait()
      mock.timers.tick(1000)
    }
    assert.deepEqual(output.notes, [
      '0.0 s  Builds the image',
      '4.0 s  Still: Builds the image',
      '12.0 s  Still: Builds the image',
      '28.0 s  Still: Builds the image',
    ])
  })

  test('a run begins anew with short pauses when something happens', ({ assert }) => {
    const output = new Shown({ output: formatIn('table') })
    const progress = new RunProgress(output)
    progress.step('Builds the image')
    mock.timers.tick(5000)
    progress.wait()
    progress.state('north: starting')
    progress.state('north: starting')
    mock.timers.tick(4000)
    progress.wait()
    assert.deepEqual(output.notes, [
      '0.0 s  Builds the image',
      '5.0 s  Still: Builds the image',
      '5.0 s  north: starting',
      '9.0 s  Still: north: starting',
    ])
  })
})
