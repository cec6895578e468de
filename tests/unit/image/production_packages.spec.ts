import { test } from '@japa/runner'

import { isUsed } from '#image/production_packages'
import { requiredPackages } from '#image/required_packages'

const one = (more: object = {}) => ({ version: '1.0.0', integrity: 'sha512-', ...more })

test.group('The packages of npm in an image', () => {
  test('packages are those that production requires, with the peers that must be there', ({
    assert,
  }) => {
    const wanted = {
      '': one({ dependencies: { a: '1' }, devDependencies: { compiler: '1' } }),
      'packages/own': one({ dependencies: { b: '2' }, optionalDependencies: { native: '1' } }),
      'node_modules/ignored': one(),
    }
    const installed = {
      'node_modules/a': one({
        dependencies: { b: '1', missing: '1' },
        peerDependencies: { peer: '1', compiler: '1' },
        peerDependenciesMeta: { compiler: { optional: true } },
      }),
      'node_modules/a/node_modules/b': one(),
      'node_modules/b': one({ dependencies: { a: '1' } }),
      'node_modules/compiler': one({ dependencies: { parser: '1' } }),
      'node_modules/ignored': one(),
      'node_modules/native': one(),
      'node_modules/parser': one(),
      'node_modules/peer': one(),
    }
    assert.sameMembers(
      [...requiredPackages(wanted, installed)],
      ['a', 'a/node_modules/b', 'b', 'native', 'peer'].map((path) => `node_modules/${path}`)
    )
  })

  test('packages are found around a package of a scope, too', ({ assert }) => {
    const wanted = { '': one({ dependencies: { '@x/a': '1' } }) }
    const installed = {
      'node_modules/@x/a': one({ dependencies: { '@x/b': '1' } }),
      'node_modules/@x/b': one(),
    }
    assert.sameMembers([...requiredPackages(wanted, installed)], Object.keys(installed))
  })

  test('packages keep what a program or a lawyer reads')
    .with([
      'index.js',
      'lib/data.json',
      'LICENSE',
      'license.md',
      'NOTICE.markdown',
      'dist/module.wasm',
      'stubs/main.stub',
    ])
    .run(({ assert }, path) => assert.isTrue(isUsed(path)))

  test('packages lose what nothing reads')
    .with([
      'README.md',
      'index.d.ts',
      'src/index.ts',
      'lib/index.js.map',
      'license.d.ts',
      '.github/workflows/test.yml',
      'docs/changes.markdown',
    ])
    .run(({ assert }, path) => assert.isFalse(isUsed(path)))
})
