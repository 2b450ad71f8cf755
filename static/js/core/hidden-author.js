// Takes the posts of a member off an open page whose reader may no longer see them.
import { fetchPosts, postIn } from "./fetched-posts.js"
import { boostLine, idOf } from "./posts.js"
import { replaceWithNote } from "./removed-post.js"

// `fragment`: where to ask for the posts that the reader may still see; "" if there are none.
export async function hideAuthor(list, account, note, fragment) {
  const posts = [...list.getElementsByClassName("status")].filter(post =>
    [post, boostLine(post)].some(part => part?.dataset.author === account),
  )
  const visible = fragment && posts.length ? await stillVisible(posts, fragment) : []
  for (const id of posts.map(idOf)) if (!visible.includes(id)) replaceWithNote(id, note)
}

// The ids of the posts that this reader may still see.
async function stillVisible(posts, fragment) {
  const names = posts.map(post =>
    [idOf(post), boostLine(post)?.dataset.author].filter(Boolean).join("-"),
  )
  const parts = (await fetchPosts(fragment, names)) ?? []
  return parts.map(part => idOf(postIn(part)))
}
