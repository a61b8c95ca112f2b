// The Python of this machine.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Why the Python SDK can't be tried here. */
export const WITHOUT_PYTHON =
  spawnSync('python3', ['--version']).status !== 0 && 'needs python3: apt-get install python3'

/** With the SDK's source. It leaves no compiled files in the source. */
export const PYTHON_ENVIRONMENT = {
  ...process.env,
  PYTHONPATH: join(import.meta.dirname, '../python'),
  PYTHONDONTWRITEBYTECODE: '1',
}
