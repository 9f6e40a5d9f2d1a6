// go-reddit through the proxy of the adapters, as its own users would call it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/vartanbeno/go-reddit/v2/reddit"
)

type app struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

var scene struct {
	Proxy   string
	Content struct {
		Password, Thread, Reported string
		ReportedLink               string
		Comments                   int
		Accounts                   map[string]app
		Links                      []string
	}
}

var (
	here = context.Background()
	page = &reddit.ListOptions{Limit: 100}
)

// theirs is what the service calls a thing as these clients call it.
func theirs(fullname string) string {
	for from, to := range map[string]string{"t3_": "t6_", "t4_": "t5_", "t5_": "t3_", "t6_": "t4_"} {
		if strings.HasPrefix(fullname, from) {
			return to + fullname[3:]
		}
	}
	return fullname
}

func login(name string) *reddit.Client {
	account := scene.Content.Accounts[name]
	credentials := reddit.Credentials{ID: account.ID, Secret: account.Secret, Username: name, Password: scene.Content.Password}
	return must(reddit.NewClient(credentials, reddit.WithBaseURL(scene.Proxy), reddit.WithTokenURL(scene.Proxy+"/api/v1/access_token")))
}

// plain is the error of a call whose response has nothing more.
func plain(_ *reddit.Response, err error) { must(0, err) }

// list is what a listing holds.
func list[T any](items []T, _ *reddit.Response, err error) []T { return must(items, err) }

func one[T any](item T, _ *reddit.Response, err error) T { return must(item, err) }

func both(posts []*reddit.Post, comments []*reddit.Comment, _ *reddit.Response, err error) int {
	must(0, err)
	return len(posts) + len(comments)
}

func some(count int) {
	if count == 0 {
		panic("nothing is listed")
	}
}

// ruledOut is what the interface does not offer, so that it is refused.
func ruledOut(call, reason string, err error) {
	if err == nil {
		fmt.Printf("failed\t%s\tit is not refused\n", call)
		return
	}
	fmt.Printf("ruled out\t%s\t%s\n", call, reason)
}

func main() {
	must(0, json.Unmarshal([]byte(os.Getenv("SCENE")), &scene))
	content := scene.Content
	var ann, bob, cat, dan *reddit.Client
	works("login by password", func() { ann, bob, cat, dan = login("ann"), login("bob"), login("cat"), login("dan") })
	works("me, karma, trophies, preferences", func() {
		same(one(ann.Account.Info(here)).Name, "ann")
		some(len(list(ann.Account.Karma(here))))
		list(ann.Account.Trophies(here))
		one(ann.Account.Settings(here))
	})
	works("a listing of more than 250", func() {
		seen := map[string]bool{}
		options := &reddit.ListOptions{Limit: 100}
		for {
			posts, response, err := ann.Subreddit.NewPosts(here, "tea", options)
			must(0, err)
			for _, post := range posts {
				seen[post.FullID] = true
			}
			if response.After == "" {
				break
			}
			options.After = response.After
		}
		same(len(seen), len(content.Links)+2)
	})
	works("hot, top", func() {
		some(len(list(ann.Subreddit.HotPosts(here, "tea", page))))
		some(len(list(ann.Subreddit.TopPosts(here, "tea", &reddit.ListPostOptions{ListOptions: *page, Time: "all"}))))
	})
	_, _, err := ann.Subreddit.ControversialPosts(here, "tea", nil)
	ruledOut("controversial", "the interface has no such listing", err)
	_, _, err = ann.Subreddit.RisingPosts(here, "tea", nil)
	ruledOut("rising", "the interface has no such listing", err)
	_, err = ann.Post.Spoiler(here, theirs(content.Links[0]))
	ruledOut("spoilers", "the interface has none", err)
	_, _, err = ann.Widget.Get(here, "tea")
	ruledOut("emoji, widgets", "the interface has none", err)
	var post *reddit.Submitted
	works("submit a text and a link", func() {
		post = one(ann.Post.SubmitText(here, reddit.SubmitTextRequest{Subreddit: "tea", Title: "By go-reddit", Text: "Soft?"}))
		one(ann.Post.SubmitLink(here, reddit.SubmitLinkRequest{Subreddit: "tea", Title: "By go-reddit", URL: "https://example.com/go-reddit"}))
		same(one(ann.Post.Edit(here, post.FullID, "Hard?")).Body, "Hard?")
	})
	works("comment, reply, edit, delete", func() {
		comment := one(bob.Comment.Submit(here, post.FullID, "Soft."))
		same(comment.Body, "Soft.")
		reply := one(ann.Comment.Submit(here, comment.FullID, "Sure?"))
		same(one(ann.Comment.Edit(here, reply.FullID, "Sure!")).Body, "Sure!")
		plain(ann.Comment.Delete(here, reply.FullID))
	})
	works("comment tree, with more comments", func() {
		thread := one(ann.Post.Get(here, strings.TrimPrefix(theirs(content.Thread), "t3_")))
		some(len(thread.Comments))
		known := len(thread.Comments)
		for range 20 {
			if !thread.HasMore() {
				break
			}
			plain(ann.Post.LoadMoreComments(here, thread))
		}
		if len(thread.Comments) <= known {
			panic("no more comments came")
		}
	})
	works("vote, save, hide", func() {
		link := theirs(content.Links[3])
		plain(dan.Post.Upvote(here, link))
		plain(dan.Post.Downvote(here, link))
		plain(dan.Post.RemoveVote(here, link))
		plain(dan.Post.Save(here, link))
		plain(dan.Post.Unsave(here, link))
		plain(dan.Post.Hide(here, link))
		plain(dan.Post.Unhide(here, link))
	})
	works("inbox: unread, mark read, send, sent", func() {
		plain(bob.Message.Send(here, &reddit.SendMessageRequest{To: "ann", Subject: "Tea", Text: "Come"}))
		_, messages, _, err := ann.Message.InboxUnread(here, page)
		must(0, err)
		some(len(messages))
		plain(ann.Message.Read(here, messages[0].FullID))
		plain(ann.Message.Unread(here, messages[0].FullID))
		some(len(list(bob.Message.Sent(here, page))))
	})
	works("friends, block", func() {
		one(ann.User.Friend(here, "bob"))
		some(len(list(ann.Account.Friends(here))))
		plain(ann.User.Unfriend(here, "bob"))
		one(ann.User.Block(here, "dan"))
		some(len(list(ann.Account.Blocked(here))))
		plain(ann.User.Unblock(here, "dan"))
	})
	works("ban, mute, contributor, wiki ban, wiki contributor", func() {
		days := 3
		plain(ann.Moderation.Ban(here, "tea", "dan", &reddit.BanConfig{Reason: "spam", Days: &days}))
		some(len(list(ann.Subreddit.Banned(here, "tea", page))))
		plain(ann.Moderation.Unban(here, "tea", "dan"))
		plain(ann.Moderation.Mute(here, "tea", "dan"))
		some(len(list(ann.Subreddit.Muted(here, "tea", page))))
		plain(ann.Moderation.Unmute(here, "tea", "dan"))
		plain(ann.Moderation.ApproveUser(here, "tea", "dan"))
		some(len(list(ann.Subreddit.Contributors(here, "tea", page))))
		plain(ann.Moderation.UnapproveUser(here, "tea", "dan"))
		plain(ann.Moderation.BanWiki(here, "tea", "dan", nil))
		some(len(list(ann.Subreddit.WikiBanned(here, "tea", page))))
		plain(ann.Moderation.UnbanWiki(here, "tea", "dan"))
		plain(ann.Moderation.ApproveUserWiki(here, "tea", "dan"))
		some(len(list(ann.Subreddit.WikiContributors(here, "tea", page))))
		plain(ann.Moderation.UnapproveUserWiki(here, "tea", "dan"))
	})
	works("moderators: invite, permissions, accept, withdraw", func() {
		plain(ann.Moderation.Invite(here, "tea", "bob", &reddit.ModPermissions{Posts: true}))
		// it changes the permissions of invitations only
		plain(ann.Moderation.SetPermissions(here, "tea", "bob", &reddit.ModPermissions{Wiki: true}))
		plain(bob.Moderation.AcceptInvite(here, "tea"))
		same(len(list(ann.Subreddit.Moderators(here, "tea"))), 3)
		plain(ann.Moderation.Invite(here, "tea", "dan", nil))
		plain(ann.Moderation.Uninvite(here, "tea", "dan"))
	})
	works("approve, remove, lock, distinguish, sticky", func() {
		link := theirs(content.Links[5])
		plain(cat.Moderation.Remove(here, link))
		plain(cat.Moderation.Approve(here, link))
		plain(cat.Post.Lock(here, link))
		plain(cat.Post.Unlock(here, link))
		plain(ann.Post.Sticky(here, post.FullID, false))
		plain(ann.Post.Unsticky(here, post.FullID))
		comment := one(ann.Comment.Submit(here, post.FullID, "As a moderator"))
		plain(ann.Moderation.DistinguishAndSticky(here, comment.FullID))
		plain(ann.Moderation.Undistinguish(here, comment.FullID))
	})
	works("nsfw, contest mode, suggested sort, reports", func() {
		plain(ann.Post.MarkNSFW(here, post.FullID))
		plain(ann.Post.UnmarkNSFW(here, post.FullID))
		plain(ann.Post.EnableContestMode(here, post.FullID))
		plain(ann.Post.DisableContestMode(here, post.FullID))
		plain(ann.Post.SetSuggestedSortNew(here, post.FullID))
		plain(ann.Post.ClearSuggestedSort(here, post.FullID))
		plain(dan.Post.Report(here, post.FullID, "Too hot"))
		plain(cat.Moderation.IgnoreReports(here, post.FullID))
		plain(cat.Moderation.UnignoreReports(here, post.FullID))
	})
	works("queues, mod log", func() {
		some(both(cat.Moderation.Reported(here, "tea", page)))
		some(both(cat.Moderation.Queue(here, "tea", page)))
		some(both(cat.Moderation.Edited(here, "tea", page)))
		some(len(list(cat.Moderation.Unmoderated(here, "tea", page))))
		both(cat.Moderation.Spam(here, "tea", page))
		actions := list(cat.Moderation.Actions(here, "tea", &reddit.ListModActionOptions{ListOptions: *page, Type: "lock"}))
		same(actions[0].Moderator, "cat")
	})
	works("flair: templates, set, list, select", func() {
		some(len(list(ann.Flair.GetPostFlairs(here, "tea"))))
		// the template itself does not come back
		one(ann.Flair.UpsertUserTemplate(here, "tea", &reddit.FlairTemplateCreateOrUpdateRequest{Text: "Brewer"}))
		templates := list(ann.Flair.GetUserFlairs(here, "tea"))
		template := templates[len(templates)-1]
		same(template.Text, "Brewer")
		plain(ann.Flair.Assign(here, "tea", "bob", &reddit.FlairSelectRequest{ID: template.ID}))
		some(len(list(ann.Flair.ListUserFlairs(here, "tea"))))
		plain(ann.Flair.Delete(here, "tea", "bob"))
		plain(ann.Flair.DeleteTemplate(here, "tea", template.ID))
	})
	works("multis: create, add, change, copy, delete", func() {
		multi := one(ann.Multi.Create(here, &reddit.MultiCreateOrUpdateRequest{Name: "drinks", Visibility: "private", Subreddits: []string{"tea"}}))
		same(multi.Subreddits[0], "tea")
		one(ann.Multi.UpdateDescription(here, multi.Path, "What we drink"))
		plain(ann.Multi.DeleteSubreddit(here, multi.Path, "tea"))
		plain(ann.Multi.AddSubreddit(here, multi.Path, "tea"))
		some(len(list(ann.Multi.Mine(here))))
		copied := one(ann.Multi.Copy(here, &reddit.MultiCopyRequest{FromPath: multi.Path, ToPath: "/user/ann/m/more"}))
		plain(ann.Multi.Delete(here, copied.Path))
		plain(ann.Multi.Delete(here, multi.Path))
	})
	works("wiki: read, edit, revisions", func() {
		same(one(ann.Wiki.Page(here, "tea", "index")).Content, "Pour slowly.")
		plain(ann.Wiki.Edit(here, &reddit.WikiPageEditRequest{Subreddit: "tea", Page: "index", Content: "Pour.", Reason: "shorter"}))
		some(len(list(ann.Wiki.RevisionsPage(here, "tea", "index", page))))
		some(len(list(ann.Wiki.Pages(here, "tea"))))
	})
	works("subreddit: about, subscribe, search, rules", func() {
		same(one(ann.Subreddit.Get(here, "tea")).Name, "tea")
		plain(dan.Subreddit.Subscribe(here, "tea"))
		some(len(list(dan.Subreddit.Subscribed(here, nil))))
		plain(dan.Subreddit.Unsubscribe(here, "tea"))
		some(len(list(ann.Subreddit.Moderated(here, nil))))
		some(len(list(ann.Subreddit.SearchNames(here, "te"))))
		some(len(list(ann.Subreddit.SearchPosts(here, "water", "tea", nil))))
		plain(ann.Subreddit.CreateRule(here, "tea", &reddit.SubredditRuleCreateRequest{Name: "Be kind", Description: "Always", ViolationReason: "unkind", Kind: "all"}))
		same(list(ann.Subreddit.Rules(here, "tea"))[0].Name, "Be kind")
	})
	works("stylesheet", func() {
		plain(ann.Subreddit.UpdateStyleSheet(here, "tea", "h1 { color: green; }", "greener"))
		same(strings.Contains(one(ann.Subreddit.StyleSheet(here, "tea")).StyleSheet, "green"), true)
	})
	works("content by ids, duplicates, user pages", func() {
		posts, comments, _, _, err := ann.Listings.Get(here, post.FullID, content.Reported)
		must(0, err)
		same([]int{len(posts), len(comments)}, []int{1, 1})
		_, _, _, err = ann.Post.Duplicates(here, post.ID, nil)
		must(0, err)
		some(len(list(ann.User.PostsOf(here, "bob", nil))))
		some(len(list(ann.User.CommentsOf(here, "bob", nil))))
		same(one(ann.User.Get(here, "bob")).Name, "bob")
	})
	works("a stream of new posts", func() {
		posts, errors, stop := ann.Stream.Posts("tea", reddit.StreamMaxRequests(1))
		defer stop()
		count := 0
		for posts != nil || errors != nil {
			select {
			case _, open := <-posts:
				if !open {
					posts = nil
					continue
				}
				count++
			case err, open := <-errors:
				if !open {
					errors = nil
					continue
				}
				must(0, err)
			}
		}
		some(count)
	})
}
