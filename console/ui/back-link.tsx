import { Link, type LinkProps } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'

/** A link to the parent page. */
export const BackLink = ({ children, ...link }: LinkProps & { children: ReactNode }) => (
  <Link {...link} className="back-link">
    <ChevronLeft size={15} aria-hidden />
    {children}
  </Link>
)
