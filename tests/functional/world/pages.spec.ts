import { test } from '@japa/runner'

import { boot, isTogether } from '#tests/helpers/application'
import { ConsoleVisitor } from '#tests/helpers/console/console_visitor'
import { STORAGE } from '#tests/helpers/world/access_table/storage'
import { BUCKET_TYPES, type BucketType, type WorldAnalysis } from '#tests/helpers/world/analyses'
import { someAnalyses, analysisRow } from '#tests/helpers/world/requests/facts'
import { theWorld, type World } from '#tests/helpers/world/world'
import type { WorldIdentity } from '#tests/helpers/world/world_identity'

await boot()

interface Page {
  readonly path: string
  readonly analysis: WorldAnalysis
  readonly type: BucketType
}

/** The pages of the console that show a file, or send it. */
const pagesOfFiles = (world: World): Page[] =>
  someAnalyses(world).flatMap((analysis) =>
    BUCKET_TYPES.flatMap((type) => {
      const path = `/analyses/${analysis.id}/files/${analysis.buckets[type].fileId}`
      return [path, `${path}/download`].map((each) => ({ path: each, analysis, type }))
    })
  )

const peopleOf = ({ identities }: World) =>
  identities.filter((by): by is WorldIdentity & { token: string } => by.actor?.kind === 'user')

test.group('Three realms | console', () => {
  test('a page shows a file to exactly those who may read it', async ({ assert }) => {
    if (!isTogether()) {
      return
    }
    const world = await theWorld()
    const found: string[] = []
    for (const by of peopleOf(world)) {
      const visitor = new ConsoleVisitor()
      visitor.become({ accessToken: by.token })
      for (const { path, analysis, type } of pagesOfFiles(world)) {
        const { status } = await visitor.open(path)
        const isAllowed = STORAGE.streamBucketFile!.allows(by, analysisRow(analysis, { type }))
        if ((status === 200) !== isAllowed) {
          found.push(`${by.name} | ${path} | ${analysis.state} ${type} | ${status}`)
        }
      }
    }
    assert.isEmpty(found, found.join('\n'))
  }).timeout(300_000)
})
