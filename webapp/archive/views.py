"""The page of one's own data, and its downloads."""

from datetime import UTC, datetime

from flask import Blueprint, Response, g, redirect, render_template, request, send_file, url_for
from werkzeug.wrappers import Response as Redirect

from webapp.accounts.sessions.password_proof import ProofForm, recent_proof
from webapp.core.errors import NotFound, Refused
from webapp.core.forms.fields import Form
from webapp.core.i18n.preferences import language
from webapp.core.store import Read, gather
from webapp.core.web import Requester, accepts_uploads, config, db, no_store, prefetch, site
from webapp.core.web.context import site_address
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.redirects import ViewResponse
from webapp.server.bridge.wsgi import STREAMED_RESPONSE
from webapp.statuses.attachments.quota import MEGABYTE, picture_bytes

from . import files, tasks
from .exports.building import PARTS
from .forms import ImportForm, PostsForm
from .posts import slices as posts
from .tables.formats import TABLES, write
from .tables.importing import begin_import
from .tasks import ARCHIVE, IMPORT, IMPORTS_MAX, POSTS, Task

bp = Blueprint("archive", __name__, url_prefix="/settings/data")
bp.after_request(no_store)
Found = tuple[dict[str, Task], datetime, bool, int]


def _found(requester: Requester) -> Read[Found]:
    uid = requester.uid or 0
    return gather(
        tasks.tasks_of(uid),
        tasks.next_archive_at(uid),
        recent_proof(requester),
        picture_bytes(uid),
    )


@bp.get("")
@prefetch(_found)
def index(found: Found) -> ViewResponse:
    """Show what can be made of the viewer's data, and how far it is."""
    return _render_page(found)


@bp.post("/archive")
@prefetch(_found)
def make(found: Found) -> ViewResponse:
    """Start an archive of everything."""
    form = ProofForm(proved=found[2])
    if not form.is_accepted():
        return _render_page(found, proof=form)
    task = tasks.new_task(ARCHIVE, site_address(), language().locale, total=PARTS)
    tasks.start(site(), g.viewer.uid, task)
    return redirect(url_for("archive.index"), 303)


@bp.get("/archive.zip")
@prefetch(_found)
def download(found: Found) -> Response:
    """Send the finished archive, or the range of it that is asked for."""
    return _send_result(found[0].get(ARCHIVE), "application/zip", f"linnet-{g.viewer.login}.zip")


@bp.get("/report.csv")
@prefetch(_found)
def report(found: Found) -> Response:
    """Send the rows of the last import that did not fit, with the reasons."""
    return _send_result(found[0].get(IMPORT), "text/csv", "import-report.csv")


@bp.get("/table.csv")
@rate_limited("edit", "export")
def export() -> Response:
    """Send the CSV file that `of` names. Raises NotFound."""
    table = NotFound.unless(TABLES.get(request.args.get("of", "")), "no_archive")
    response = Response(write(table, db(), g.viewer.uid, site_address()), mimetype="text/csv")
    response.headers.set("Content-Disposition", "attachment", filename=table.file_name)
    return response


@bp.post("/import")
@accepts_uploads(1)
@prefetch(_found)
def import_table(found: Found) -> ViewResponse:
    """Start the import of a CSV file."""
    form = ImportForm()

    def begin() -> None:
        task = tasks.new_task(IMPORT, site_address(), language().locale, form.table.data)
        begin_import(site(), g.viewer.uid, task, form.file.data or b"")

    if form.carry_out(begin, "edit", "import", field="file", refusals=Refused):
        return redirect(url_for("archive.index", _anchor="import"), 303)
    return _render_page(found, importing=form)


@bp.post("/posts")
@accepts_uploads(1)
@prefetch(_found)
def import_posts(found: Found) -> ViewResponse:
    """Start the import of the posts in an archive of another site."""
    form = PostsForm()

    def begin() -> None:
        file, where = form.posts.data or b"", (site_address(), language().locale)
        posts.begin_import(site(), g.viewer.uid, file, *where, _imports(found))

    if form.carry_out(begin, "edit", "import", field="posts", refusals=Refused):
        return redirect(url_for("archive.index", _anchor="old-posts"), 303)
    return _render_page(found, old_posts=form)


@bp.post("/posts/undo")
@prefetch(_found)
def undo_posts(found: Found) -> Redirect:
    """Start to delete the posts that an import has brought: `import` is its token."""
    token = request.form.get("import", "")
    posts.begin_undo(site(), g.viewer.uid, _imports(found), token, language().locale)
    return redirect(url_for("archive.index", _anchor="old-posts"), 303)


@bp.get("/posts.csv")
@prefetch(_found)
def posts_report(found: Found) -> Response:
    """Send a list of the posts of the last import that did not fit, with the reasons."""
    return _send_result(found[0].get(POSTS), "text/csv", "posts-report.csv")


def _imports(found: Found) -> tuple[Task, ...]:
    """Return the imports of posts that can be taken back. `found`: what `_found` reads."""
    last = found[0].get(POSTS)
    return last.removable if last else ()


def _render_page(
    found: Found,
    proof: ProofForm | None = None,
    importing: ImportForm | None = None,
    old_posts: PostsForm | None = None,
) -> tuple[str, int]:
    """Return the page, with a form that was refused. `found`: what `_found` reads."""
    latest, next_archive, proved, pictures = found
    rate = config().limit_follow
    forms: dict[str, Form] = {
        "proof": proof or ProofForm(formdata=None, proved=proved),
        "form": importing or ImportForm(formdata=None),
        "posts_form": old_posts or PostsForm(formdata=None),
    }
    page = render_template(
        "archive/index.html",
        **forms,
        archive=latest.get(ARCHIVE),
        waits=next_archive > datetime.now(UTC),
        imported=latest.get(IMPORT),
        old_posts=latest.get(POSTS),
        imports=_imports(found),
        imports_max=IMPORTS_MAX,
        tables=TABLES,
        follows_an_hour=rate.burst * 3600 // rate.period or 1,
        picture_bytes=pictures,
        picture_bytes_max=config().picture_megabytes_max * MEGABYTE,
    )
    return page, max(one.http_status for one in forms.values())


def _send_result(task: Task | None, mimetype: str, name: str) -> Response:
    """Return the file of a finished task, or the range of it that is asked for. Raises NotFound."""
    if task is None or not task.is_ready:
        raise NotFound("no_archive")
    path = files.result_file(config(), g.viewer.uid, task).absolute()
    try:
        response = send_file(
            path, mimetype, as_attachment=True, download_name=name, conditional=True
        )
    except FileNotFoundError:
        raise NotFound("no_archive") from None
    request.environ[STREAMED_RESPONSE] = True
    return response
