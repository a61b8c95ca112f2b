import { join } from 'node:path'
import type { Config } from '../config.ts'
import { makeFolderStore } from './folder-store.ts'
import type { FileStore } from './store.ts'

const FOLDER = 'files'

/** Where files are kept: a folder in the data directory. */
export const openFiles = ({ dataDir }: Pick<Config, 'dataDir'>): FileStore =>
  makeFolderStore(join(dataDir, FOLDER))
