import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

import { test } from '@japa/runner'

import { notePassed } from '#storage/objects/short_lived_memory'

const MIB = 1024 ** 2

test.group('Short-lived memory', () => {
  test('is looked for when some MiB have passed, and only among the youngest objects', async ({
    assert,
    cleanup,
  }) => {
    const kinds: unknown[] = []
    const observer = new PerformanceObserver((list) => {
      kinds.push(...list.getEntries().map(kindOf))
    })
    cleanup(() => observer.disconnect())
    observer.observe({ entryTypes: ['gc'] })
    for (let mib = 0; mib < 60; mib++) notePassed(MIB)
    await delay(50)
    const minor = kinds.filter((kind) => kind === constants.NODE_PERFORMANCE_GC_MINOR)
    assert.isAtLeast(minor.length, 9)
    assert.notInclude(kinds, constants.NODE_PERFORMANCE_GC_MAJOR)
  })
})

const kindOf = (entry: PerformanceEntry) =>
  (entry as PerformanceEntry & { detail: { kind: number } }).detail.kind
