import { configApp } from '@adonisjs/eslint-config'

export default configApp(
  { ignores: ['build', '.data', 'node_modules', 'tests/vectors'] },
  {
    /** A test states request and expectation in one line where that reads best. */
    files: ['tests/**/*.ts'],
    rules: { '@unicorn/no-await-expression-member': 'off' },
  }
)
