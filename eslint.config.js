import { configApp } from '@adonisjs/eslint-config'

import { fieldWords } from './eslint_rules/field_words.js'
import { importPath } from './eslint_rules/import_path.js'
import { moduleState } from './eslint_rules/module_state.js'
import { testTitle } from './eslint_rules/test_title.js'

/** What really is one per process; ADR 28 says why. No file gets another one. */
const SINGLETONS = {
  'app/database/pools.ts': 'pools',
  'app/http/route_catalogue.ts': 'catalogue',
  'app/observability/health.ts': 'health',
  'app/observability/metrics.ts': 'metrics',
  'packages/tracing/src/tracing.ts': 'tracing',
}

export default configApp(
  {
    ignores: [
      'build',
      'packages/*/dist',
      'packages/client/src/interface.ts',
      '.data',
      'node_modules',
      'tests/vectors',
    ],
  },
  /** `prettier --check` looks at the same files; a second time takes longer than all other rules. */
  { rules: { 'curly': 'error', 'prettier/prettier': 'off' } },
  {
    files: ['{app,packages,start,providers,config,commands,bin,tests}/**/*.ts'],
    plugins: { house: { rules: { 'import-path': importPath, 'field-words': fieldWords } } },
    rules: { 'house/import-path': 'error', 'house/field-words': 'error' },
  },
  {
    files: ['{app,packages/tracing}/**/*.ts'],
    plugins: { state: { rules: { 'module-state': moduleState } } },
    rules: { 'state/module-state': ['error', SINGLETONS] },
  },
  {
    files: ['tests/**/*.ts'],
    ignores: ['tests/unit/lint/**'],
    rules: { 'house/field-words': ['error', { comments: false }] },
  },
  {
    /** A test states request and expectation in one line where that reads best. */
    files: ['tests/**/*.ts'],
    plugins: { titles: { rules: { 'test-title': testTitle } } },
    rules: { '@unicorn/no-await-expression-member': 'off', 'titles/test-title': 'error' },
  },
  {
    files: ['tests/**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'node:timers/promises',
              importNames: ['setTimeout'],
              message:
                'A test waits for what happens (eventually), sets the time (withManualTimers), or says whose time passes (realTime).',
            },
          ],
        },
      ],
    },
  }
)
