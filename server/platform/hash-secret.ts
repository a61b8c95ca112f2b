import { createHash } from 'node:crypto'

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
