// A screen of several pages, with links to them at the side, or on top when narrow.
import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import type { LucideIcon } from './icons.ts'

export type SidePageLink = { label: string; icon: LucideIcon; link: LinkProps }

export const SidePages = ({
  label,
  pages,
  current,
  children,
}: {
  label: string
  pages: SidePageLink[]
  /** The current URL: when it or the width changes, the page's link is scrolled into view. */
  current: string
  children: ReactNode
}) => {
  const list = useRef<HTMLUListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the URL determines the current link
  useEffect(() => {
    const links = list.current
    if (!links) return
    const scroll = (): void => {
      const here = links.querySelector<HTMLElement>('[aria-current="page"]')
      if (here) links.scrollLeft = here.offsetLeft - (links.clientWidth - here.offsetWidth) / 2
    }
    scroll()
    // The window was made narrower, or turned.
    const observer = new ResizeObserver(scroll)
    observer.observe(links)
    return () => observer.disconnect()
  }, [current])
  return (
    <div className="side-pages">
      <nav className="side-pages__nav" aria-label={label}>
        <ul ref={list} className="side-pages__list">
          {pages.map(({ label, icon: Icon, link }) => (
            <li key={label}>
              <Link {...link} className="side-pages__link">
                <Icon size={16} aria-hidden />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="side-pages__page">{children}</div>
    </div>
  )
}

/** One of the pages. */
export const SidePage = ({
  title,
  about,
  back,
  actions,
  children,
}: {
  title: ReactNode
  about?: ReactNode
  /** A link to the parent page. */
  back?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) => (
  <>
    <header className="side-page__head">
      <div className="grow">
        {back}
        <h2 className="side-page__title">{title}</h2>
        {about && <p className="text-soft">{about}</p>}
      </div>
      {actions}
    </header>
    {children}
  </>
)
