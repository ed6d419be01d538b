"""Two texts become hunks, a unified diff or a patch; three-way merges; trees and revisions of git."""
