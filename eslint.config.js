import { configApp } from '@adonisjs/eslint-config'

import { fieldWords } from './eslint_rules/field_words.js'
import { importPath } from './eslint_rules/import_path.js'
import { testTitle } from './eslint_rules/test_title.js'

export default configApp(
  { ignores: ['build', 'packages/*/dist', '.data', 'node_modules', 'tests/vectors'] },
  /** `prettier --check` looks at the same files; a second time takes longer than all other rules. */
  { rules: { 'curly': 'error', 'prettier/prettier': 'off' } },
  {
    files: ['{app,packages,start,providers,config,commands,bin,tests}/**/*.ts'],
    plugins: { house: { rules: { 'import-path': importPath, 'field-words': fieldWords } } },
    rules: { 'house/import-path': 'error', 'house/field-words': 'error' },
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
