import { configApp } from '@adonisjs/eslint-config'

import { importPath } from './eslint_rules/import_path.js'

export default configApp(
  { ignores: ['build', '.data', 'node_modules', 'tests/vectors'] },
  { rules: { curly: 'error' } },
  {
    files: ['{app,start,providers,config}/**/*.ts'],
    plugins: { house: { rules: { 'import-path': importPath } } },
    rules: { 'house/import-path': 'error' },
  },
  {
    /** A test states request and expectation in one line where that reads best. */
    files: ['tests/**/*.ts'],
    rules: { '@unicorn/no-await-expression-member': 'off' },
  }
)
