import type { BuildFacts } from '#oci/signing/provenance'

export const ANALYSIS = '5e5f9a4e-0000-4000-8000-000000000001'

/** Facts of a build. */
export const buildFacts = (changes: Partial<BuildFacts> = {}): BuildFacts => ({
  name: ANALYSIS,
  kind: 'analysis',
  parameters: { command: ['python', '/opt/code/main.py'], content: 'sha256:'.padEnd(71, '1') },
  materials: [
    { name: 'base', uri: 'oci://local-images/master/python/base', digest: digest('2') },
    { name: '/opt/code/main.py', digest: digest('3') },
  ],
  signedAnnotations: { analysis: ANALYSIS },
  builder: { id: 'urn:analysis-hub:worker', version: '0.1.0' },
  run: 'run 1',
  startedAt: new Date('2026-11-22T10:00:00Z'),
  finishedAt: new Date('2026-11-22T10:00:02Z'),
  ...changes,
})

export const digest = (character: string): string => `sha256:${character.repeat(64)}`
