import type { ReactNode } from 'react'

/** Numbered instructions, each in an `li`. */
export const Steps = ({ children }: { children: ReactNode }) => <ol className="steps">{children}</ol>
